import { DiskError } from '../vault-client';
import { PAGE } from '../page-name';
import { callServer } from '../server-socket';

const address = (operation: string) => `/node/${operation}?page=${PAGE}`;

/** A call of the desktop's Node, done by the workbench's server. @throws DiskError */
export async function callNode<T>(operation: string, ...args: readonly unknown[]): Promise<T> {
  const { ok, body } = await callServer(address(operation), JSON.stringify(args));
  return answer(ok, new TextDecoder().decode(body));
}

/** The same for what is synchronous in Node: the page stands still meanwhile, as the app does. */
export function callNodeSync<T>(operation: string, ...args: readonly unknown[]): T {
  const request = new XMLHttpRequest();
  request.open('POST', address(operation), false);
  request.send(JSON.stringify(args));
  return answer(request.status === 200, request.responseText);
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
