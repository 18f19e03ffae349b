import { stripVTControlCharacters } from 'node:util';

/** Characters of a line that are kept. */
const LONGEST_LINE = 2_000;

/** Shorter values are words that stand everywhere. */
const SHORTEST_SECRET = 6;

/** Removes colours and control characters from a line, and every secret of an environment. */
export function lineCleaner(
  env: Readonly<Record<string, string | undefined>>,
): (line: string) => string {
  const secrets = Object.entries(env)
    .filter(([name]) => /KEY|TOKEN|SECRET|PASS|AUTH|CREDENTIAL/i.test(name))
    .flatMap(([, value = '']) => value.split(/[\r\n]+/)) // a key may have several lines
    .flatMap((value) => [value, encodeURIComponent(value)])
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return (line) => {
    let text = stripVTControlCharacters(line).replace(/\p{Cc}+/gu, ' ');
    for (const secret of secrets) text = text.replaceAll(secret, '•••');
    text = text.replace(/\b(Bearer|Basic)\s+[\w+/=.~-]+/gi, '$1 •••');
    return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
  };
}
