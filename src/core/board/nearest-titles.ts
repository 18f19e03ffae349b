/** The entries whose title is most like `text`, best first, at most `most`. */
export function nearest<T extends { readonly title: string }>(
  text: string,
  entries: readonly T[],
  most: number,
): T[] {
  const wanted = pairs(text);
  return entries
    .map((entry, at) => ({ entry, at, score: likeness(wanted, pairs(entry.title)) }))
    .filter(({ score }) => score > 0.25)
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, most)
    .map(({ entry }) => entry);
}

/** Pairs of neighbouring letters (Dice), which works without word boundaries too. */
function pairs(text: string): Set<string> {
  const letters = [...` ${text.toLowerCase().slice(0, 500)} `];
  return new Set(letters.slice(1).map((letter, at) => `${letters[at] ?? ''}${letter}`));
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const pair of a) if (b.has(pair)) common += 1;
  return (2 * common) / (a.size + b.size);
}
