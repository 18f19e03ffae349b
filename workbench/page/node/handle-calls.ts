import { fromBase64, toBase64 } from './base64';
import { asNode } from './file-objects';
import { callNode, callNodeSync } from './server-call';

const run = <T>(handle: number, task: string, ...args: unknown[]): T =>
  callNodeSync<T>('handle', handle, task, ...args);

/**
 * Node's calls on open files by their number. Where they are there, a path may go through an open
 * folder, as on Linux.
 */
export const handleCalls = {
  openSync: (path: string, flags: number, mode?: number) =>
    callNodeSync<number>('open', path, flags, mode),
  /** Nobody waits for it: no number is given twice. */
  closeSync: (handle: number) => {
    callNode('handle', handle, 'close').catch(reportError);
  },
  fstatSync: (handle: number) => asNode('stat', [], run(handle, 'stat')),
  ftruncateSync: (handle: number, length: number) => run(handle, 'truncate', length),
  writeSync: (
    handle: number,
    bytes: Uint8Array,
    from: number,
    length: number,
    at: number | null,
  ): number => run(handle, 'write', toBase64(bytes.subarray(from, from + length)), at),
  readFileSync: (file: number | string, encoding?: string): unknown =>
    typeof file === 'number'
      ? fromBase64(run<string>(file, 'readBytes'))
      : callNodeSync('readFile', file, encoding),
};
