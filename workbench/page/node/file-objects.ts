import { fromBase64 } from './base64';
import { callNode } from './server-call';

/** The server's data on a file, for which Node has an object with methods. */
interface FileFacts {
  readonly name?: string;
  readonly file: boolean;
  readonly folder: boolean;
  readonly link: boolean;
  readonly mtimeMs?: number;
  readonly birthtimeMs?: number;
  readonly size?: number;
  readonly ino?: number;
  readonly dev?: number;
}

/** Converts the answer of a call to Node's form. */
export function toNodeResult(call: string, args: readonly unknown[], answer: unknown): unknown {
  if (call === 'stat' || call === 'lstat') return toStats(answer as FileFacts);
  if (call !== 'readdir') return answer;
  const entries = answer as readonly FileFacts[];
  const types = (args[1] as { withFileTypes?: boolean } | undefined)?.withFileTypes === true;
  return entries.map((entry) => (types ? toStats(entry) : entry.name));
}

/** An open file. */
export function makeFileHandle(id: number) {
  const run = <T>(task: string, ...args: readonly unknown[]) =>
    callNode<T>('handle', id, task, ...args);
  return {
    readFile: async (encoding?: string) =>
      encoding === undefined ? fromBase64(await run<string>('readBytes')) : run<string>('readFile'),
    writeFile: (text: string) => run('writeFile', text),
    appendFile: (text: string) => run('appendFile', text),
    read: async (buffer: Uint8Array, from: number, length: number, at: number) => {
      const bytes = fromBase64(await run<string>('read', length, at));
      buffer.set(bytes, from);
      return { bytesRead: bytes.length, buffer };
    },
    datasync: () => run('datasync'),
    stat: async () => toStats(await run<FileFacts>('stat')),
    close: () => run('close'),
  };
}

function toStats({ file, folder, link, ...facts }: FileFacts) {
  return {
    ...facts,
    isFile: () => file,
    isDirectory: () => folder,
    isSymbolicLink: () => link,
  };
}
