import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

/** The folders of `src` and packages that each folder may import; `node:` means all of Node. */
const LAW: Readonly<Record<string, readonly string[]>> = {
  protocol: ['protocol', 'core/lazy', 'zod/mini'],
  'core/ports.ts': ['core/fault/sentence'],
  'core/lazy.ts': [],
  'core/error-handler.ts': ['core/ports.ts'],
  'core/diagnostics.ts': ['core/error-handler'],
  'core/or-else.ts': ['zod/mini'],
  'core/version.ts': [],
  'core/bridge-file.ts': ['core/fault', 'core/ports.ts', 'core/version.ts'],
  'core/shared-settings.ts': [
    'core/fault',
    'core/lazy',
    'core/ports.ts',
    'core/json',
    'core/board',
    'core/permission',
    'core/orchestrator/limits',
    'zod/mini',
  ],
  'core/hook': ['core/hook', 'core/json', 'core/lazy', 'core/ports.ts', 'zod/mini'],
  'core/link': ['core/link', 'core/ports.ts'],
  'core/session': [
    'core/lazy',
    'core/fault',
    'core/keyed-queue',
    'core/session',
    'core/hook',
    'core/error-handler',
    'core/link',
    'core/ports.ts',
    'protocol',
    'zod/mini',
    'mitt',
  ],
  'core/session/auto-continue': [
    'core/fault',
    'core/keyed-queue',
    'core/session',
    'core/hook',
    'core/board',
    'core/ports.ts',
  ],
  'core/config': [
    'core/config',
    'core/hook/hook-commands',
    'core/json',
    'core/lazy',
    'core/ports.ts',
    'zod/mini',
    'js-yaml',
    'jsonc-parser',
  ],
  'core/context': ['core/context', 'core/session', 'core/tool/note', 'core/ports.ts', 'protocol'],
  'core/engine': [
    'core/engine',
    'core/board',
    'core/config',
    'core/context',
    'core/json',
    'core/keyed-queue',
    'core/lazy',
    'core/model',
    'core/permission',
    'core/ports.ts',
    'core/shared-settings',
    'core/tool',
    'protocol',
    'zod/mini',
  ],
  'core/model': [
    'core/cache',
    'core/duration',
    'core/model',
    'core/json',
    'core/lazy',
    'core/or-else',
    'core/ports.ts',
    'core/permission/audit/redact',
    'zod/mini',
    'eventsource-parser',
  ],
  'core/connect': ['core/connect', 'core/json'],
  'core/fault.ts': ['core/fault', 'core/ports.ts'],
  'core/fault': ['core/fault', 'core/ports.ts'],
  'core/json.ts': ['zod/mini'],
  'core/keyed-queue.ts': [],
  'core/duration.ts': [],
  'core/cache.ts': [],
  'core/board': [
    'core/cache',
    'core/duration',
    'core/lazy',
    'core/or-else',
    'core/board',
    'core/fault',
    'core/json',
    'core/keyed-queue',
    'core/ports.ts',
    'zod/mini',
    'node-diff3',
    'js-yaml',
  ],
  'core/exchange': [
    'core/exchange',
    'core/board',
    'core/fault',
    'core/json',
    'core/keyed-queue',
    'core/ports.ts',
    'zod/mini',
    'js-yaml',
  ],
  'core/permission': [
    'core/lazy',
    'core/fault',
    'core/keyed-queue',
    'core/permission',
    'core/ports.ts',
    'protocol',
    'zod/mini',
  ],
  // The rules together with the file that stores them.
  'core/permission/policy-store.ts': [
    'core/fault',
    'core/permission',
    'core/ports.ts',
    'core/shared-settings',
    'core/keyed-queue',
  ],
  'core/tool': [
    'core/cache',
    'core/lazy',
    'core/fault',
    'core/json',
    'core/keyed-queue',
    'core/tool',
    'core/hook',
    'core/board',
    'core/session',
    'core/permission',
    'core/ports.ts',
    'protocol',
    'zod/mini',
    'js-yaml',
    'node-diff3',
  ],
  'core/orchestrator': [
    'core/duration',
    'core/lazy',
    'core/fault',
    'core/json',
    'core/keyed-queue',
    'core/exchange',
    'core/orchestrator',
    'core/board',
    'core/session',
    'core/tool',
    'core/permission',
    'core/ports.ts',
    'protocol',
    'zod/mini',
  ],
  'core/metrics': [
    'core/metrics',
    'core/board',
    'core/exchange/export-board',
    'core/fault',
    'core/json',
    'core/lazy',
    'core/orchestrator/drive/run-files',
    'core/permission/audit',
    'core/ports.ts',
    'protocol',
    'zod/mini',
  ],
  node: ['node', 'core', 'protocol', 'ws', 'node:'],
  bridge: ['bridge', 'core', 'protocol', 'node', 'ws', 'zod/mini', 'node:'],
  'bridge/opencode-http': ['bridge', 'core', 'protocol', 'zod/mini', 'node:', 'eventsource-parser'],
  mcp: [
    'mcp',
    'bridge/server',
    'bridge/call-runner',
    'bridge/disk-boards',
    'bridge/headless',
    'core',
    'protocol',
    'node',
    '@modelcontextprotocol/server',
    'zod/mini',
    'node:',
  ],
  acp: [
    'acp',
    'bridge/serve-engine',
    'bridge/server/listener',
    'core',
    'mcp/mcp-server',
    'mcp/prompts',
    'mcp/line-splitter',
    'node/processes',
    'protocol',
    '@agentclientprotocol/sdk',
    '@modelcontextprotocol/server',
    'node:',
  ],
  lsp: [
    'lsp',
    'core/board',
    'core/error-handler',
    'core/fault',
    'core/version',
    'node/read-file',
    'vscode-languageserver',
    'vscode-languageserver-textdocument',
    'node:',
  ],
  cli: ['cli', 'core', 'protocol', 'node', 'jsonc-parser', 'node:'],
  // With an import(): no other command loads the protocol.
  'cli/mcp.ts': ['cli', 'mcp/serve-mcp', 'node:'],
  // With an import(): no other command loads the protocol.
  'cli/lsp.ts': ['cli', 'core/config', 'lsp/serve-lsp', 'node', 'node:'],
  // With an import(): no other command runs sessions.
  'cli/serve': ['cli', 'core', 'bridge', 'node', 'acp', 'node:'],
  obsidian: ['obsidian', 'core', 'protocol', 'obsidian-app', 'preact', 'zod/mini', '@codemirror'],
  // With an import(): evaluated when a graph is drawn.
  'obsidian/graph/layout.ts': ['obsidian/graph', '@dagrejs/dagre'],
  // Requires the half that is needed.
  'program.cts': ['main.ts', 'bridge/plugin.ts'],
  // `node` only by a guarded import(): [ARCH4] checks that it is loaded lazily.
  'main.ts': [
    'obsidian',
    'core',
    'protocol',
    'obsidian-app',
    'node/handle-files',
    'node/vault-lock',
    'node/may-be-alive',
    'node/ws-transport',
    'node/programs/program-host',
    'node/real-paths',
    'node/client-states',
    'node/config-files',
    'node/http-client',
    'node/audit',
    // Only the parts of the bridge that need no Node: [ARCH14].
    'bridge/model-bridge',
  ],
};

interface Import {
  readonly from: string;
  readonly to: string;
}

const source = join(import.meta.dirname, '../../src');

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.c?tsx?$/.test(entry.name))
    .map((entry) => relative(source, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

/** Removes type imports, which don't exist at run time. */
const WITHOUT_TYPES = (text: string) => text.replace(/^import type [^;]+;/gm, '');

function imports(file: string, kept = (text: string) => text): Import[] {
  const text = kept(readFileSync(join(source, file), 'utf8'));
  const found = text.matchAll(/(?<!')\b(?:from|import)\s*\(?\s*'([^']+)'/g);
  return [...found].map(([, to = '']) => ({ from: file, to: target(file, to) }));
}

function target(file: string, specifier: string): string {
  if (specifier.startsWith('.'))
    return normalize(join(dirname(file), specifier))
      .split(sep)
      .join('/');
  if (specifier === 'obsidian') return 'obsidian-app';
  if (specifier.startsWith('preact/')) return 'preact';
  return specifier;
}

function ruleOf(file: string): string | undefined {
  return Object.keys(LAW)
    .filter((key) => file === key || file.startsWith(`${key}/`))
    .sort((a, b) => b.length - a.length)[0];
}

function allowed({ from, to }: Import): boolean {
  const rule = LAW[ruleOf(from) ?? ''] ?? [];
  const path = to.replace(/\.(js|tsx?)$/, '');
  return rule.some((name) => {
    if (name === 'node:') return to.startsWith('node:');
    const plain = name.replace(/\.ts$/, '');
    return path === plain || path.startsWith(`${plain}/`);
  });
}

describe('architecture', () => {
  const all = files(source);

  test('[ARCH1] every file of src stands in a folder that the import law names', () => {
    expect(all.length).toBeGreaterThan(20);
    expect(all.filter((file) => ruleOf(file) === undefined && !file.endsWith('.d.ts'))).toEqual([]);
  });

  test('[ARCH2] a file imports only what its folder may', () => {
    const every = all.flatMap((file) => imports(file));
    expect(every.length).toBeGreaterThan(20);
    expect(every.filter((one) => !allowed(one))).toEqual([]);
  });

  test('[ARCH12] no file imports itself through others', () => {
    const names = new Set(all);
    const fileOf = (path: string) =>
      ['', '.ts', '.tsx'].map((end) => path + end).find((name) => names.has(name)) ?? [];
    const waits = new Map(
      all.map((file) => [file, new Set(imports(file).flatMap(({ to }) => fileOf(to)))]),
    );
    expect([...waits.values()].flatMap((to) => [...to]).length).toBeGreaterThan(1000);
    // Removes files without remaining imports; those that stay are in a cycle or import one.
    for (let before = -1; before !== waits.size;) {
      before = waits.size;
      for (const [file, to] of waits) {
        if (![...to].some((one) => waits.has(one))) waits.delete(file);
      }
    }
    expect([...waits.keys()]).toEqual([]);
  });

  test('[ARCH14] what runs sessions in the plugin reaches no file that needs Node', () => {
    const needed = new Set<string>();
    const add = (file: string): void => {
      if (needed.has(file)) return;
      needed.add(file);
      for (const { to } of imports(file, WITHOUT_TYPES)) {
        const found = ['.ts', '.tsx'].map((end) => to + end).find((name) => all.includes(name));
        if (found === undefined) needed.add(to);
        else add(found);
      }
    };
    add('bridge/model-bridge.ts');
    expect(needed.size).toBeGreaterThan(20);
    const isNode = (name: string) => /^(node[:/]|ws$)/.test(name);
    expect([...needed].filter(isNode)).toEqual([]);
  });

  test('[ARCH3] no file is a drawer: no utils, helpers, types, constants or barrels', () => {
    expect(
      all.filter((file) => /(^|\/)(utils|helpers?|types|constants|index)(\/|\.tsx?$)/.test(file)),
    ).toEqual([]);
  });
});
