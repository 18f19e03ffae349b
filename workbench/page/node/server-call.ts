import { DiskError } from '../vault-client';
import { PAGE_ID } from '../page-id';
import { callServer } from '../server-socket';
import { SharedAnswer, type BlockingCall } from './shared-answer';

const address = (operation: string) => `/node/${operation}?page=${PAGE_ID}`;

/** Calls a function of the desktop's Node on the workbench's server. @throws DiskError */
export async function callNode<T>(operation: string, ...args: readonly unknown[]): Promise<T> {
  const { ok, body } = await callServer(address(operation), JSON.stringify(args));
  return answer(ok, new TextDecoder().decode(body));
}

let worker: Worker | undefined;
const shared = new SharedAnswer();

/** Must be called before the first blocking call. */
export async function startBlockingCalls(): Promise<void> {
  const started = new Worker('/blocking-worker.js');
  await new Promise<void>((done, fail) => {
    started.onmessage = () => done();
    started.onerror = () => fail(new Error('The thread for blocking calls did not start'));
    started.postMessage(shared.memory);
  });
  worker = started;
}

/**
 * The same for Node's synchronous functions: blocks the page, as the app does. A worker makes the
 * call, since a blocking request costs Chromium several times as much.
 */
export function callNodeSync<T>(operation: string, ...args: readonly unknown[]): T {
  if (worker === undefined) throw new DiskError('EIO', 'The page has no Node');
  shared.clear();
  const body = new TextEncoder().encode(JSON.stringify(args));
  worker.postMessage({ address: address(operation), body } satisfies BlockingCall);
  const { ok, text } = shared.take();
  return answer(ok, text);
}

function answer<T>(ok: boolean, text: string): T {
  if (ok) return (JSON.parse(text) as { value: T }).value;
  const { code, message } = parseFault(text);
  throw new DiskError(code, message);
}

function parseFault(text: string): { readonly code: string; readonly message: string } {
  try {
    return JSON.parse(text) as { code: string; message: string };
  } catch {
    return { code: 'EIO', message: text };
  }
}
