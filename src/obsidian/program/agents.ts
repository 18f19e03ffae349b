import type { App } from 'obsidian';
import type { Ids, Undo } from '../../core/ports';
import { Listeners } from '../../core/session/listeners';
import { serveArgs, type AgentProgram, type ProgramHost } from '../../core/session/program-host';
import { Secret, type DeviceStore } from '../adapter/device-storage';
import { t } from '../language/text';
import { notify, type Notify } from '../ui/notify';
import { agentTarget, type AgentEntry } from './agent-entry';
import { Launcher, type StartConsent } from './launcher';

interface AgentsDeps {
  readonly app: App;
  /** the vault's folder; absolute */
  readonly folder: string;
  readonly host: () => Promise<ProgramHost>;
  readonly device: DeviceStore;
  readonly consent: StartConsent;
  readonly ids: Pick<Ids, 'unique'>;
  readonly notify?: Notify;
  /** An agent is ready for sessions. */
  readonly onReady: () => void;
}

/**
 * Agents that run sessions behind `agent-boards serve`. Each is a program that the person set up on
 * this device, and is started only at the person's request.
 */
export class Agents {
  private readonly launchers = new Map<string, Launcher>();
  private readonly changed = new Listeners<void>();

  constructor(private readonly deps: AgentsDeps) {}

  /** Whether the person allows starting agents on this device. */
  get allowed(): boolean {
    return this.deps.device.current.mayStartAgents;
  }

  allow(on: boolean): void {
    this.deps.device.change({ mayStartAgents: on });
    if (!on) for (const launcher of this.launchers.values()) launcher.stop();
    this.changed.call();
  }

  get all(): readonly AgentEntry[] {
    return this.deps.device.current.agents;
  }

  onChange(listener: () => void): Undo {
    return this.changed.add(listener);
  }

  /** The launcher of an agent. */
  launcher({ id }: Pick<AgentEntry, 'id'>): Launcher {
    const known = this.launchers.get(id);
    if (known !== undefined) return known;
    const { notify: tell = notify } = this.deps;
    const launcher = new Launcher({
      start: async (heard, wanted) => {
        const entry = this.all.find((one) => one.id === id);
        if (entry === undefined) return t('program.agentGone');
        const host = await this.deps.host();
        const path = await this.commandLine(host);
        if (!wanted()) return '';
        if (path === undefined) return t('program.noCommandLine');
        const { folder, consent } = this.deps;
        const agent = this.programOf(entry);
        const needed = { 'agent-boards': path, [id]: agentTarget(entry) };
        if (!(await consent.allows(needed, [path, ...serveArgs(folder, agent)])))
          return t('program.notAllowed');
        return host.agent({ ...heard, path, folder, agent });
      },
      allowed: () => this.allowed,
      notify: tell,
      onReady: () => {
        const name = this.all.find((one) => one.id === id)?.name ?? '';
        tell(t('program.agentRuns', { agent: name }));
        this.deps.onReady();
      },
    });
    launcher.onChange(() => this.changed.call());
    this.launchers.set(id, launcher);
    return launcher;
  }

  /** Adds an agent, or changes the one with that id, which is stopped first. */
  save(entry: AgentEntry, password?: string): void {
    const all = this.all;
    const known = all.some(({ id }) => id === entry.id);
    this.launchers.get(entry.id)?.stop();
    const updated = known ? all.map((one) => (one.id === entry.id ? entry : one)) : [...all, entry];
    this.deps.device.change({ agents: updated });
    this.deps.consent.allow({ [entry.id]: agentTarget(entry) });
    if (entry.kind === 'opencode' && password !== undefined) this.secret(entry).set(password);
    this.changed.call();
  }

  /**
   * Stops and removes an agent.
   * @returns adds it again
   */
  remove(entry: AgentEntry): Undo {
    this.launchers.get(entry.id)?.stop();
    const password = entry.kind === 'opencode' ? this.secret(entry).get() : undefined;
    if (password !== undefined) this.secret(entry).set('');
    this.deps.device.change({ agents: this.all.filter(({ id }) => id !== entry.id) });
    this.changed.call();
    return () => this.save(entry, password);
  }

  newId(): string {
    return this.deps.ids.unique().replaceAll('-', '').slice(0, 12);
  }

  /** Path of an installed program by name; undefined if it is not found. */
  async find(name: string): Promise<string | undefined> {
    return (await this.deps.host()).find(name);
  }

  passwordOf(entry: AgentEntry): string {
    return entry.kind === 'opencode' ? this.secret(entry).get() : '';
  }

  /** Stops all agents, since the plugin closes. */
  close(): void {
    this.changed.clear();
    for (const launcher of this.launchers.values()) launcher.close();
  }

  private async commandLine(host: ProgramHost): Promise<string | undefined> {
    const { agentBoardsPath } = this.deps.device.current;
    return agentBoardsPath === '' ? host.find('agent-boards') : agentBoardsPath;
  }

  private programOf(entry: AgentEntry): AgentProgram {
    return entry.kind === 'acp' ? entry : { ...entry, password: this.passwordOf(entry) };
  }

  private secret(entry: AgentEntry): Secret {
    return secretOf(this.deps.app, entry);
  }
}

function secretOf(app: App, { id }: AgentEntry): Secret {
  return new Secret(app, `agent-task-boards-agent-${id}`);
}

/** The passwords of agents, which must not be written anywhere. */
export function agentSecrets(app: App, device: Pick<DeviceStore, 'current'>): readonly string[] {
  return device.current.agents
    .map((entry) => secretOf(app, entry).get())
    .filter((secret) => secret !== '');
}
