/** A problem in a configuration file, for a person or a program to fix. */
export interface ConfigProblem {
  /** relative to the vault, or below `~/.config/opencode/` */
  readonly file: string;
  /** from 1; 0 for the whole file */
  readonly line: number;
  /** for example `agent.build.mode`; empty if it concerns no particular key */
  readonly key: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** what to write */
  readonly fix: string;
}

export type KeyPath = readonly (string | number)[];

/** A parsed value with the positions of its parts. */
export interface Located {
  /** line of the deepest existing part of the path, from 1 */
  readonly lineOf: (path: KeyPath) => number;
  /** number of leading keys to hide, for a note that is a single agent or command */
  readonly above?: number;
}

/** @param path in `at`; its last part may be missing there */
export function problemAt(
  at: Located & { readonly file: string },
  path: KeyPath,
  severity: ConfigProblem['severity'],
  message: string,
  fix: string,
): ConfigProblem {
  const key = path.slice(at.above ?? 0).join('.');
  return { file: at.file, line: at.lineOf(path), key, severity, message, fix };
}

/** A problem of a file as a whole. */
export function fileProblem(
  file: string,
  severity: ConfigProblem['severity'],
  message: string,
  fix: string,
  line = 0,
): ConfigProblem {
  return { file, line, key: '', severity, message, fix };
}

/**
 * The known word that was probably meant: it differs only in case and dashes, or by a typo of one
 * or two letters.
 */
export function suggestWord(given: string, known: readonly string[]): string | undefined {
  const plain = (word: string): string => word.toLowerCase().replace(/[-_ ]/g, '');
  const letters = (word: string): string => [...word].sort().join('');
  const wanted = plain(given.slice(0, 64));
  const typosIn = (word: string): number => {
    const most = word.length < 5 ? 0 : word.length < 8 ? 1 : 2;
    if (Math.abs(word.length - wanted.length) > most) return Infinity;
    const off = distance(wanted, word);
    return off <= most || (off === 1 && letters(wanted) === letters(word)) ? off : Infinity;
  };
  const [near] = known
    .filter((word) => word !== given)
    .map((word) => ({ word, off: typosIn(plain(word)) }))
    .sort((a, b) => a.off - b.off);
  return near === undefined || near.off === Infinity ? undefined : near.word;
}

/** Edit distance: letters to insert, delete, replace or swap with a neighbour. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const steps = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same];
      if (swapped) steps.push((before[j - 2] ?? 0) + 1);
      row.push(Math.min(...steps));
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
