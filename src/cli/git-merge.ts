import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { mergeBoards } from '../core/board/merge/merge-boards';
import { decodeUtf8 } from '../node/read-file';
import { StoreError } from '../core/ports';
import { isMissing, storeError } from '../node/store-error';
import { refusalExit, type Command } from './command';
import { git } from './connect/git';

/**
 * `agent-boards merge-driver %O %A %B [%P]`: git calls it to merge boards; writes the result to %A.
 */
export const mergeDriver: Command = {
  name: 'merge-driver',
  anywhere: () => true,
  takes: 'BASE OURS THEIRS [PATH]',
  says: 'merges a board for git, which calls it; agent-boards connect git sets it up',
  options: {},
  async run({ words }, _, { cwd }) {
    const [base = '', ours = '', theirs = '', path = ours] = words.map((word, at) =>
      at < 3 ? resolve(cwd, word) : word,
    );
    const texts = await Promise.all(
      [base, ours, theirs].map((file) =>
        readFile(file).catch((error: unknown) => {
          if (isMissing(error)) throw new StoreError('io', `${file} is not there.`);
          throw storeError(file, error);
        }),
      ),
    );
    const [was, own, other] = texts.map(decodeUtf8);
    const merged =
      was === undefined || own === undefined || other === undefined
        ? undefined
        : mergeBoards({ base: was, ours: own, theirs: other });
    if (merged === undefined) {
      const files = [ours, base, theirs];
      const labels = ['ours', 'base', 'theirs'].flatMap((name) => ['-L', name]);
      const { code, err } = await git(cwd, 'merge-file', ...labels, ...files);
      const done =
        code !== undefined && code < 128
          ? 'so git merged the lines. Look for conflict marks.'
          : `and git did not merge its lines: ${err.trim()} Ours stands, theirs is not in it.`;
      const message = `${path}: one of its versions can't be read as a board, ${done}`;
      return { ...refusalExit({ code: 'broken_note', message }), code: 1 };
    }
    await writeFile(ours, merged.text);
    const messages = [
      ...merged.conflicts.map(({ line, title, theirs: text }) =>
        line === 0
          ? `${path}: both sides changed "${title}". Ours stands; theirs was "${text.trim()}".`
          : `${path}:${line}: both sides changed "${title}". Ours stands, theirs is this line. Keep one of them, and remove [conflict:: theirs].`,
      ),
      ...merged.renumbered.map(
        ({ from, to }) => `${path}: both sides added a task ${from}. That of theirs is ${to} now.`,
      ),
    ];
    return { code: 0, out: '', err: messages.map((line) => `agent-boards: ${line}\n`).join('') };
  },
};
