/** Waiting for the window, and the middle of figures. */

/** After everything that is due now. */
export function next(): Promise<void> {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => done();
    port2.postMessage(null);
  });
}

/** The frame with everything done so far was drawn. */
export async function painted(): Promise<void> {
  await new Promise((done) => requestAnimationFrame(done));
  await next();
}

export function middle(figures: number[]): number {
  return [...figures].sort((one, other) => one - other)[Math.floor(figures.length / 2)] ?? 0;
}
