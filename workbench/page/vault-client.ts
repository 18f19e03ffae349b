import type { CallFault } from '../server/call-fault';
import { PAGE_ID } from './page-id';
import { callServer } from './server-socket';

/** What the server says about a file. Times in ms since the epoch, size in bytes. */
export interface DiskStat {
  readonly type: 'file' | 'folder';
  readonly ctime: number;
  readonly mtime: number;
  readonly size: number;
}

export interface VaultFacts {
  readonly name: string;
  readonly basePath: string;
  readonly entries: readonly (DiskStat & { readonly path: string })[];
}

/** A failed file operation, with the code that Node (and so the desktop app) would give. */
export class DiskError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'Error';
  }
}

type Query = Readonly<Record<string, string>>;

async function callVault(
  operation: string,
  query: Query,
  body: string | ArrayBuffer = '',
): Promise<Uint8Array<ArrayBuffer>> {
  const address = `/fs/${operation}?${new URLSearchParams(query).toString()}`;
  const answer = await callServer(address, body);
  if (answer.ok) return answer.body;
  const { code, message } = JSON.parse(new TextDecoder().decode(answer.body)) as CallFault;
  throw new DiskError(code, message);
}

/** One operation whose answer is JSON. @throws DiskError */
export async function callForJson<T>(
  operation: string,
  query: Query,
  body?: string | ArrayBuffer,
): Promise<T> {
  return JSON.parse(new TextDecoder().decode(await callVault(operation, query, body))) as T;
}

/** The bytes of a file. @throws DiskError */
export async function readBytes(path: string): Promise<ArrayBuffer> {
  return (await callVault('read', { path })).slice().buffer;
}

export async function vaultFacts(): Promise<VaultFacts> {
  return (await (await fetch('/vault.json')).json()) as VaultFacts;
}

/** Paths that may have changed on disk, hidden ones in visible folders among them. */
export function onDiskChange(listener: (paths: readonly string[]) => void): void {
  const stream = new EventSource(`/events?page=${PAGE_ID}`);
  stream.addEventListener('changed', (event: MessageEvent<string>) => {
    listener(JSON.parse(event.data) as string[]);
  });
}
