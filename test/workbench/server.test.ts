import { constants } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { supportsHandlePaths } from '../../src/node/file-locator';
import { startWorkbench, type Workbench } from '../../workbench/server/start-workbench';

let folder = '';
let bench: Workbench;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'atb-server-')));
  await mkdir(join(folder, 'vault/.opencode'), { recursive: true });
  await mkdir(join(folder, 'outside'));
  await writeFile(join(folder, 'vault/Inbox.md'), 'inside');
  await writeFile(join(folder, 'outside/secret.md'), 'outside');
  await symlink(join(folder, 'outside'), join(folder, 'vault/link'));
  bench = await startWorkbench({ vault: join(folder, 'vault'), pluginDir: folder });
});

afterAll(async () => {
  await bench.close();
  await bench.close();
  await rm(folder, { recursive: true });
});

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}) {
  const { port } = new URL(bench.origin);
  return new Promise<{ status: number; text: string }>((done, fail) => {
    const options = { host: '127.0.0.1', port, path, method, headers };
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        done({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      });
    });
    sent.on('error', fail);
    sent.end(body);
  });
}

const post = (path: string, body = '') =>
  ask(path, { method: 'POST', headers: { origin: bench.origin }, body });

describe('who may ask', () => {
  it('[WB1] answers the page itself', async () => {
    expect((await ask('/')).status).toBe(200);
    expect((await post('/fs/read?path=Inbox.md')).text).toBe('inside');
  });

  it.each([
    ['a foreign host', 'GET', { host: 'evil.example' }],
    ['a foreign origin', 'GET', { origin: 'http://evil.example' }],
    ['another port of this machine', 'POST', { origin: 'http://127.0.0.1:1' }],
    ['no origin on a write', 'POST', {}],
    ['a null origin', 'POST', { origin: 'null' }],
    ['a cross-site fetch', 'GET', { 'sec-fetch-site': 'cross-site' }],
  ])('[WB1] refuses %s', async (_case, method, headers) => {
    const path = '/fs/write?path=Inbox.md';
    const { status } = await ask(path, {
      method,
      headers: { ...headers },
      ...(method === 'POST' && { body: 'changed' }),
    });
    expect(status).toBe(403);
    expect((await post('/fs/read?path=Inbox.md')).text).toBe('inside');
  });
});

describe('where a path may lead', () => {
  it.each(['../outside/secret.md', 'a/../../outside/secret.md', 'link/secret.md', 'a\\..\\b'])(
    '[WB2] refuses to read %s',
    async (path) => {
      const { status, text } = await post(`/fs/read?path=${encodeURIComponent(path)}`);
      expect(status).toBe(400);
      expect(text).toContain('EACCES');
    },
  );

  it('[WB2] refuses to write, rename or copy out of the vault', async () => {
    const out = encodeURIComponent('../outside/new.md');
    for (const address of [
      `/fs/write?path=${out}`,
      `/fs/write?path=link%2Fnew.md`,
      `/fs/rename?path=Inbox.md&to=${out}`,
      `/fs/copy?path=Inbox.md&to=link%2Fnew.md`,
      `/fs/rmdir?path=&recursive=true`,
    ]) {
      expect((await post(address, 'x')).status).toBe(400);
    }
    expect((await post('/fs/list?path=')).text).toContain('Inbox.md');
  });

  it('[WB2] keeps a name with dots in it inside', async () => {
    expect((await post('/fs/write?path=a..b.md', 'x')).status).toBe(200);
    expect((await post('/fs/read?path=%2F.%2Fa..b.md')).text).toBe('x');
  });
});

describe('links, where the workbench is told to follow them as the app does', () => {
  it('[WB24] a link is what it leads to, out of the vault too; a path still leaves it by no other way', async () => {
    await symlink(join(folder, 'nowhere'), join(folder, 'vault/dangling'));
    const followed = await startWorkbench({
      ...{ vault: join(folder, 'vault'), pluginDir: folder, links: 'follow' },
    });
    const { origin } = followed;
    const read = async (operation: string, path: string) => {
      const address = `${origin}/fs/${operation}?path=${encodeURIComponent(path)}`;
      return (await fetch(address, { method: 'POST', headers: { origin } })).text();
    };
    expect(await read('read', 'link/secret.md')).toBe('outside');
    expect(JSON.parse(await read('stat', 'link'))).toMatchObject({ type: 'folder' });
    expect(await read('stat', 'dangling')).toBe('null');
    const listed = JSON.parse(await read('list', '')) as { folders: string[]; files: string[] };
    expect(listed.folders).toContain('link');
    expect(listed.files).not.toContain('dangling');
    expect(await read('read', '../outside/secret.md')).toContain('EACCES');
    await followed.close();
  });
});

describe("a page's stand-in for Node", () => {
  const node = async (operation: string, ...args: unknown[]) => {
    const { status, text } = await post(`/node/${operation}?page=p1`, JSON.stringify(args));
    return [status, JSON.parse(text)] as const;
  };
  const inside = (path: string) => join(folder, 'vault', path);

  it('[WB23] works on files of the vault, with the codes of Node', async () => {
    await node('mkdir', inside('.opencode/locks'), { recursive: true });
    const file = inside('.opencode/locks/a.lock');
    expect(await node('writeFile', file, 'mine', { flag: 'wx' })).toEqual([200, { value: null }]);
    expect((await node('writeFile', file, 'other', { flag: 'wx' }))[1]).toMatchObject({
      code: 'EEXIST',
    });
    expect((await node('link', file, file))[1]).toMatchObject({ code: 'EEXIST' });
    expect(await node('readFile', file, 'utf8')).toEqual([200, { value: 'mine' }]);
    await node('unlink', file);
    expect((await node('readFile', file, 'utf8'))[1]).toMatchObject({ code: 'ENOENT' });
  });

  it('[WB23] opens files, adds to them and looks at links', async () => {
    const file = inside('.opencode/audit.jsonl');
    const { O_APPEND, O_CREAT, O_WRONLY, O_TRUNC } = constants;
    const [, { value: id }] = (await node('open', file, O_APPEND | O_CREAT | O_WRONLY, 0o600)) as [
      number,
      { value: number },
    ];
    for (const line of ['one\n', 'two\n']) await node('handle', id, 'appendFile', line);
    expect((await node('handle', id, 'datasync'))[0]).toBe(200);
    expect((await node('handle', id, 'stat'))[1]).toMatchObject({ value: { file: true, size: 8 } });
    await node('handle', id, 'close');
    expect((await node('handle', id, 'appendFile', 'x'))[1]).toMatchObject({ code: 'EBADF' });
    expect(await node('readFile', file)).toEqual([200, { value: 'one\ntwo\n' }]);
    expect((await node('open', file, O_TRUNC | O_WRONLY))[1]).toMatchObject({ code: 'EINVAL' });
    expect((await node('open', inside('link/secret.md'), 0))[1]).toMatchObject({ code: 'EACCES' });
    expect((await node('lstat', inside('link')))[1]).toMatchObject({ value: { link: true } });
    expect(await node('realpath', inside('link'))).toEqual([
      200,
      { value: join(folder, 'outside') },
    ]);
  });

  it.runIf(supportsHandlePaths())(
    '[WB27] goes through folders it has open, as on Linux, and through them out of the vault nowhere',
    async () => {
      const { O_CREAT, O_DIRECTORY, O_NOFOLLOW, O_RDONLY, O_RDWR } = constants;
      const open = async (path: string, flags: number): Promise<number> => {
        const [, { value }] = (await node('open', path, flags)) as [number, { value: number }];
        return value;
      };
      const vault = await open(join(folder, 'vault'), O_RDONLY | O_DIRECTORY);
      const at = (handle: number, rest = '') => `/proc/self/fd/${handle}${rest}`;
      expect((await node('stat', at(vault)))[1]).toMatchObject({ value: { folder: true } });
      await node('mkdir', at(vault, '/held'));
      const held = await open(at(vault, '/held'), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      const file = await open(at(held, '/a.bin'), O_RDWR | O_CREAT | O_NOFOLLOW);
      const bytes = Buffer.from([0, 255, 10]).toString('base64');
      expect((await node('handle', file, 'write', bytes, 0))[1]).toEqual({ value: 3 });
      await node('handle', file, 'truncate', 2);
      expect((await node('readFile', inside('held/a.bin')))[1]).toEqual({ value: '\0\uFFFD' });
      await node('rename', inside('held'), inside('moved'));
      expect((await node('lstat', at(held, '/a.bin')))[1]).toMatchObject({ value: { size: 2 } });
      expect((await node('realpath', at(held)))[1]).toEqual({ value: inside('moved') });
      expect((await node('open', at(vault, '/link'), O_RDONLY | O_NOFOLLOW))[1]).toMatchObject({
        code: 'ELOOP',
      });
      const self = await open('/proc/self', O_RDONLY | O_DIRECTORY);
      expect((await node('stat', at(self)))[1]).toMatchObject({ value: { folder: true } });
      expect((await node('realpath', at(self)))[1]).toMatchObject({ code: 'EACCES' });
      const refused = [
        ...[at(self, '/environ'), at(vault, '/link/secret.md'), at(vault, '/../outside/secret.md')],
        ...[at(vault, '/..'), '/proc/self/environ', `${at(vault)}/../../../../etc/passwd`],
      ];
      for (const path of refused) {
        for (const operation of ['open', 'readFile', 'stat', 'unlink', 'writeFile', 'readdir']) {
          const answered = await node(operation, path, operation === 'open' ? O_RDONLY : 'x');
          expect(answered[1], `${operation} ${path}`).toMatchObject({ code: 'EACCES' });
        }
      }
      const other = await post('/node/lstat?page=p2', JSON.stringify([at(held, '/a.bin')]));
      expect(JSON.parse(other.text)).toMatchObject({ code: 'EBADF' });
      for (const handle of [file, held, vault, self]) await node('handle', handle, 'close');
      expect((await node('lstat', at(held, '/a.bin')))[1]).toMatchObject({ code: 'EBADF' });
    },
  );

  it('[WB23] and reaches nothing else', async () => {
    const out = join(folder, 'outside/secret.md');
    for (const path of [out, inside('../outside/secret.md'), inside('link/secret.md'), '', 7]) {
      expect((await node('readFile', path, 'utf8'))[1]).toMatchObject({ code: 'EACCES' });
      expect((await node('unlink', path))[1]).toMatchObject({ code: 'EACCES' });
      expect((await node('link', path, inside('x')))[1]).toMatchObject({ code: 'EACCES' });
    }
    expect((await node('readlink', out))[1]).toMatchObject({ code: 'EACCES' });
    expect((await node('exec', 'ls'))[1]).toMatchObject({ code: 'EINVAL' });
    expect((await ask('/node/machine?page=p1', { method: 'POST', body: '[]' })).status).toBe(403);
  });
});
