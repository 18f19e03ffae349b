/** Minutes of an `estimate` such as `30m`, `2h`, `1.5h` or `1h 30m`; undefined where it is none. */
export function estimateMinutes(text: string | null): number | undefined {
  if (text === null) return undefined;
  const found =
    /^\s*(?:(\d{1,6}(?:\.\d{1,4})?)\s*h)?\s*(?:(\d{1,6}(?:\.\d{1,4})?)\s*m(?:in)?)?\s*$/i.exec(
      text,
    );
  const [, hours, minutes] = found ?? [];
  if (hours === undefined && minutes === undefined) return undefined;
  return Math.round(Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}
