/** Shortens a text for a sentence: one line, and truncated if long. */
export function short(text: string): string {
  const points = [...text.trim().replace(/\s+/g, ' ')];
  return points.length > 60 ? `${points.slice(0, 60).join('')}…` : points.join('');
}
