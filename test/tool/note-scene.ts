import * as z from 'zod/mini';
import { PendingPermissions, type ToolPermissionRequest } from '../../src/core/permission/ask';
import { auditedCalls, type AuditedCall } from '../../src/core/permission/audit/explain-call';
import { auditFilesOf, type AuditStore } from '../../src/core/permission/audit/audit-store';
import { verifyAudit } from '../../src/core/permission/audit/verify-audit';
import { parseRecord } from '../../src/core/permission/audit/audit-chain';
import { PathResolver, type RealPathLookup } from '../../src/core/permission/path-resolver';
import type { Permissions } from '../../src/core/permission/permissions';
import { ProtectedPlaces, type VaultFolders } from '../../src/core/permission/protected-places';
import { PolicyStore } from '../../src/core/permission/policy-store';
import type { NoteStore } from '../../src/core/ports';
import { SHARED_SETTINGS_PATH } from '../../src/core/shared-settings';
import type { NoteDeps, ToolHostDeps } from '../../src/core/tool/call-run';
import { defineTool, type AnsweredCall, type Tool, type ToolCall } from '../../src/core/tool/tool';
import { ToolHost } from '../../src/core/tool/tool-host';
import { seededIds } from '../board/manager-fixture';
import { AuditFolder, sha256 } from '../permission/audit-folder';
import { MemoryStore } from '../store/memory-store';
import { ManualClock } from '../wire/manual-clock';

/** A simple tool of each kind. */
export const read = defineTool({
  name: 'read',
  description: '',
  input: () => z.object({ path: z.string() }),
  plan: ({ path }) => ({
    kind: 'read',
    place: 'file',
    path,
    run: ({ target }) =>
      Promise.resolve({ ok: true, title: target.path, output: 'read', metadata: {} }),
  }),
});

export const write = defineTool({
  name: 'write',
  description: '',
  input: () => z.object({ path: z.string(), add: z.string(), dryRun: z.optional(z.boolean()) }),
  plan: ({ path, add, dryRun = false }) => ({
    kind: 'change',
    path,
    dryRun,
    change: (before) =>
      add === 'unfit'
        ? { ok: false, code: 'no_marker', message: `Nothing was done: ${before ?? ''} has none.` }
        : { ok: true, after: `${before ?? ''}${add}`, words: 'Added' },
  }),
});

/** Lists those of the given names that the rules allow. */
export const list = defineTool({
  name: 'list',
  description: '',
  input: () => z.object({ folder: z.string(), names: z.array(z.string()) }),
  plan: ({ folder, names }) => ({
    kind: 'read',
    place: 'folder',
    path: folder,
    async run(look) {
      const found: string[] = [];
      for (const name of names) if (await look.allows(name, 'file')) found.push(name);
      return { ok: true, title: 'list', output: found.join(), metadata: {} };
    },
  }),
});

const PLACES: VaultFolders = { configFolder: '.obsidian', boardRoot: 'Boards' };

export interface SceneOptions {
  readonly rules?: readonly object[];
  readonly settings?: object;
  readonly places?: VaultFolders;
  readonly tools?: readonly Tool[];
  readonly store?: NoteStore;
  readonly realPaths?: RealPathLookup;
  /** store of the audit; by default one that can fail */
  readonly lines?: AuditStore;
  readonly notes?: Partial<NoteDeps>;
  readonly deps?: Partial<ToolHostDeps>;
}

/** A host over real rules, a real audit and a store; the test acts as the person. */
export class NoteScene {
  readonly memory = new MemoryStore();
  readonly audit = new AuditFolder();
  readonly clock = new ManualClock();
  readonly asks = new PendingPermissions(this.clock);
  readonly logged: string[] = [];
  readonly store: NoteStore;
  private readonly lines: AuditStore;
  readonly policy: PolicyStore;
  readonly host: ToolHost;
  askMinutes = 10;

  private constructor(options: SceneOptions, settings: string) {
    this.store = options.store ?? this.memory;
    this.lines = options.lines ?? this.audit.store;
    const permissions = JSON.parse(settings) as { permissions: unknown };
    this.policy = new PolicyStore({
      store: this.memory,
      places: new ProtectedPlaces(options.places ?? PLACES),
      confirmed: {
        load: () => Promise.resolve(permissions.permissions),
        save: () => Promise.resolve(),
      },
    });
    const tools = options.tools ?? [read, write, list];
    this.host = new ToolHost({
      ...{ clock: this.clock, ids: seededIds(), permitting: this.policy, asks: this.asks },
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      audit: this.audit.log({ store: this.lines }),
      log: { note: (message) => void this.logged.push(message) },
      boardRoot: () => 'Boards',
      askMinutes: () => this.askMinutes,
      notes: {
        store: this.store,
        resolver: new PathResolver(options.realPaths),
        digest: sha256,
        ...options.notes,
      },
      ...options.deps,
    });
  }

  static async make(options: SceneOptions = {}): Promise<NoteScene> {
    const permissions = options.settings ?? { rules: options.rules ?? [] };
    const settings = JSON.stringify({ permissions });
    const scene = new NoteScene(options, settings);
    scene.memory.put(SHARED_SETTINGS_PATH, settings);
    await scene.policy.load();
    return scene;
  }

  /** Changes the rules as the person does in the settings. */
  setRules(rules: Permissions['rules']): Promise<void> {
    return this.policy.edit((now) => ({ ...now, rules }));
  }

  run(tool: string, args: unknown, more: Partial<ToolCall> = {}): Promise<AnsweredCall> {
    return this.host.run({ tool, args, callId: 'call_0', sessionId: 's', agent: 'build', ...more });
  }

  /** The first open request, now or as soon as there is one. */
  async nextAsk(): Promise<ToolPermissionRequest> {
    const [ask] = this.asks.all();
    if (ask !== undefined) return ask;
    await new Promise<void>((resolve) => {
      const undo = this.asks.onChange(() => {
        undo();
        resolve();
      });
    });
    return this.nextAsk();
  }

  text(path: string): string | undefined {
    return this.memory.files.get(path)?.text;
  }

  /** All calls of the audit, which must be intact. */
  async calls(): Promise<readonly AuditedCall[]> {
    const { lines } = this;
    const report = await verifyAudit(lines, 'plugin', sha256, this.audit.marked);
    if (!report.ok) throw new Error(report.message);
    const files = auditFilesOf(await lines.list(), 'plugin');
    const texts = await Promise.all(files.map(async (name) => (await lines.read(name)) ?? ''));
    const records = texts
      .join('')
      .split('\n')
      .flatMap((line) => parseRecord(line) ?? []);
    const { calls, odd } = auditedCalls(records);
    if (odd.length > 0) throw new Error(`not one intent and one outcome: ${odd.join()}`);
    return [...calls.values()];
  }

  async onlyCall(): Promise<AuditedCall> {
    const calls = await this.calls();
    const [call] = calls;
    if (call === undefined || calls.length > 1) throw new Error(`${calls.length} calls`);
    return call;
  }
}

export function outputOf(answer: AnsweredCall): string {
  return answer.ok ? answer.output : answer.error.message;
}

export function codeOf(answer: AnsweredCall): string {
  return answer.ok ? 'ok' : answer.error.code;
}

/** A tool that fails when planned or when run. */
export const broken = defineTool({
  name: 'broken',
  description: '',
  input: () => z.object({ plan: z.boolean() }),
  plan: ({ plan }) => {
    if (plan) throw new Error('a bug');
    const run = () => Promise.reject(new Error('a bug'));
    return { kind: 'read', place: 'file', path: 'a.md', run };
  },
});
