/** A text as a sentence names it: on one line, and not all of a long one. */
export function short(text: string): string {
  const points = [...text.trim().replace(/\s+/g, ' ')];
  return points.length > 60 ? `${points.slice(0, 60).join('')}…` : points.join('');
}
