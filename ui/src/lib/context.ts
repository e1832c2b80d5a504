/** What every part of the window may ask for, without its being handed from part to part. */
import { createContext } from "svelte";
import type { Backend } from "./backend";

export const [backendOf, provideBackend] = createContext<Backend>();
