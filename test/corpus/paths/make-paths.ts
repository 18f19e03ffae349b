/** A path that no tool may use, and why: `refused` by the resolver, or `protected` whatever the rules say. */
export interface HostilePath {
  readonly path: string;
  readonly kind: string;
  readonly ends: 'refused' | 'protected';
}

const PROTECTED = [
  '.obsidian/app.json',
  '.obsidian/plugins/agent-task-boards/data.json',
  '.git/config',
  '.git/hooks/post-commit',
  'Sub/.git/config',
  'Sub/.obsidian/app.json',
  '.opencode/agent-task-boards.json',
  '.opencode/agent-task-boards/audit/2026-11.plugin.jsonl',
  '.opencode/run/4711.json',
  '.opencode/plugin/bridge.js',
  'opencode.json',
  'Sub/opencode.jsonc',
  'Boards/ses_1/build-tasks.md',
  'Settings/workspace.json',
];
const INVISIBLE = ['\u200c', '\u200d', '\ufe0f', '\u034f'];
const DIRECTIONS = ['\u202e', '\u202d', '\u2066', '\u2069', '\u200e', '\u200f', '\u061c', '\ufeff', '\u00ad', '\u2028', '\u2029', '\u{e0041}', '\u180e', '\u206a'];
const DEVICES = ['con', 'prn', 'aux', 'nul', 'com1', 'com9', 'com¹', 'lpt1', 'lpt³', 'conin$', 'conout$', 'clock$', 'com0'];
const ABSOLUTE = ['/etc/passwd', '//server/share/x.md', '\\\\server\\share\\x.md', '\\\\?\\C:\\x.md', '//?/C:/x.md', '\\\\.\\pipe\\x', 'C:/x.md', 'c:x.md', 'C:\\x.md', 'Z:', '/', '//', 'file:///etc/passwd', 'a.md::$DATA', '.obsidian::$INDEX_ALLOCATION/app.json', 'Notes/a.md:stream', '/proc/self/environ'];
const UP = ['..', '../x.md', 'a/../../x.md', 'a/..', './x.md', 'a/./x.md', '..\\x.md', 'a\\..\\..\\x.md', '.. /x.md', '..%2fx.md', '%2e%2e/x.md', '%2E%2E%2Fx.md', '..%5cx.md', '%252e%252e/x.md', '..%c0%afx.md', '.%2e/x.md', '..%00/x.md', 'a%2f..%2f..%2fx.md', '....//x.md', '..;/x.md/..', '.../x.md', '~\u0000/x.md', 'a//x.md', 'a/', '', '.', 'a/b/../../../x.md'];

/** The corpus: the same list for the same seed. */
export function makePaths(seed: number): HostilePath[] {
  const pick = picker(seed);
  const made = new Map<string, HostilePath>();
  const add = (kind: string, ends: HostilePath['ends'], path: string) => {
    if (!made.has(path)) made.set(path, { path, kind, ends });
  };
  for (const path of UP) add('traversal', 'refused', path);
  for (const path of ABSOLUTE) add('absolute', 'refused', path);
  for (const folder of ['Notes', 'a/b', '😀', 'Ünï']) {
    for (const up of ['..', '../..', '../../../../../../etc']) add('traversal', 'refused', `${folder}/${up}/x.md`);
    for (const end of ['.', ' ', '...', '. ', '\u00a0', '\u3000']) add('trailing', 'refused', `${folder}${end}/x.md`);
    for (const end of ['.', ' ', '\t', '\n']) add('trailing', 'refused', `${folder}/x.md${end}`);
  }
  for (const device of DEVICES) {
    for (const shape of ['%.md', 'a/%', 'a/%.txt.md', '% .md', '%/x.md']) {
      add('device', 'refused', shape.replace('%', pick([device, device.toUpperCase()])));
    }
  }
  for (let code = 0; code < 32; code += 1) add('control', 'refused', `a${String.fromCharCode(code)}b.md`);
  for (let code = 127; code < 160; code += 1) add('control', 'refused', `Notes/${String.fromCharCode(code)}.md`);
  for (const mark of DIRECTIONS) {
    for (const shape of ['%x.md', 'x%dm.exe', 'Notes%/x.md']) add('direction', 'refused', shape.replace('%', mark));
  }
  for (const half of ['\ud800', '\udfff', 'x\udc00y']) add('surrogate', 'refused', `Notes/${half}.md`);
  for (const short of ['GIT~1/config', 'OBSIDI~1/app.json', 'OPENCO~1/run/1.json', 'a/OB12AB~1/x', 'NOTES~2.MD']) add('short name', 'refused', short);
  for (const path of PROTECTED) {
    add('protected', 'protected', path);
    for (let turn = 0; turn < 12; turn += 1) {
      add('case', 'protected', path.replace(/\p{L}/gu, (char) => pick([char, char.toUpperCase()])));
      const at = pick([1, 2, 3, path.indexOf('/') + 2]);
      add('invisible', 'protected', hidden(path, at, pick(INVISIBLE)));
    }
    add('look-alike', 'protected', path.replaceAll('s', 'ſ').replaceAll('k', '\u212a'));
    add('unicode form', 'protected', `Ü/../${path}`.replace('Ü/../', '').normalize('NFD'));
    add('trailing', 'refused', path.replace(/\//, './'));
    add('backslash', 'refused', `x\\${path}`);
    add('traversal', 'refused', `x/../${path}`);
    add('empty name', 'refused', `x//${path}`);
    add('escape', 'refused', path.replace(/[a-z]/, (char) => `%${char.charCodeAt(0).toString(16)}`));
  }
  add('unicode form', 'protected', 'Bu\u0308cher/x.md');
  add('unicode form', 'protected', 'BÜCHER/x.md');
  add('long', 'refused', 'a'.repeat(256));
  add('long', 'refused', `${'é'.repeat(128)}.md`);
  add('long', 'refused', 'a/'.repeat(300).concat('x.md'));
  return [...made.values()];
}

/** Hides a character inside a name that is protected; the names of plain files at the end stay. */
function hidden(path: string, at: number, char: string): string {
  return path.slice(0, at) + char + path.slice(at);
}

function picker(seed: number): <T>(of: readonly T[]) => T {
  let state = seed;
  return (of) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return of[Math.floor((state / 2 ** 32) * of.length)] as (typeof of)[number];
  };
}
