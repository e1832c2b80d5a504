/**
 * What a date-and-time picker says, as RFC 3339 with this computer's offset on that day.
 */

/** The text, or why there is none: a clock that goes forward skips an hour. */
export type LocalTime = { text: string } | { gap: string };

/** `picked` is what a datetime-local input holds: `2027-03-05T14:30`, perhaps with seconds. */
export function withLocalOffset(picked: string): LocalTime | null {
  const found = /^(\d{4,6})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?/.exec(picked);
  if (!found) return null;
  const [year, month, day, hour, minute, second] = found.slice(1).map((part) => Number(part ?? 0));
  const at = new Date(
    year ?? 0,
    (month ?? 1) - 1,
    day ?? 1,
    hour ?? 0,
    minute ?? 0,
    Number.isNaN(second) ? 0 : (second ?? 0),
  );
  if (at.getHours() !== hour || at.getMinutes() !== minute) {
    return {
      gap: `${found[4]}:${found[5]} does not exist on that day here: the clock goes forward. Pick another time.`,
    };
  }
  const date = `${found[1]}-${found[2]}-${found[3]}`;
  const time = `${found[4]}:${found[5]}:${found[6] ?? "00"}`;
  return { text: `${date}T${time}${offset(-at.getTimezoneOffset())}` };
}

function offset(minutes: number): string {
  const sign = minutes < 0 ? "-" : "+";
  const whole = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${sign}${two(Math.floor(whole / 60))}:${two(whole % 60)}`;
}
