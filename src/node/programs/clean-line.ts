import { stripVTControlCharacters } from 'node:util';

/** Most characters kept of a line. */
const LONGEST_LINE = 2_000;

/** Minimum length of secrets; shorter values occur as ordinary text. */
const SHORTEST_SECRET = 6;

/**
 * Returns a function that removes colours, control characters and the environment's secrets from a
 * line.
 */
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
