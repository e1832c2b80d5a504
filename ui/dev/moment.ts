import type { Moment, Zones } from "../src/lib/wire";

export const ZONES: Zones = {
  own: "Europe/Berlin",
  names: Intl.supportedValuesOf("timeZone").concat("UTC").sort(),
};

const NONE: Moment = { times: [], inZone: false, note: null };
const LOCAL = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?/;

/** Such as Rust would give: winter time is +01:00, UTC is +00:00, and two hours of 2027 are odd. */
export function moment(text: string, zone: string, replace: boolean): Moment {
  const found = LOCAL.exec(text);
  if (!found) return NONE;
  const [whole, day = "", time = "", seconds = ":00"] = found;
  const told = `the day ${day}, ${time}`;
  const given = text.slice(whole.length);
  if (given !== "" && !replace) return { ...NONE, times: [{ text, told: `${told} (${given})` }] };
  const at = (offset: string) => ({
    text: `${day}T${time}${seconds}${offset}`,
    told: `${told} (UTC${offset})`,
  });
  if (zone === "UTC") return { ...NONE, inZone: true, times: [at("+00:00")] };
  if (`${day} ${time}` === "2027-03-28 02:30") {
    const note = `02:30 on 28 March 2027 does not exist in ${zone}: the clock goes forward from 02:00 to 03:00. Choose another time.`;
    return { times: [], inZone: true, note };
  }
  if (`${day} ${time}` === "2027-10-31 02:30") {
    const note = `02:30 on 31 October 2027 comes twice in ${zone}: the clock goes back from 03:00 to 02:00. Choose which one is meant.`;
    return { times: [at("+02:00"), at("+01:00")], inZone: true, note };
  }
  return { ...NONE, inZone: true, times: [at("+01:00")] };
}
