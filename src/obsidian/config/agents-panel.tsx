import type { App, Command, Plugin } from 'obsidian';
import type { LoadedConfig } from '../../core/config/load-config';
import { agentAsNote, configNote, newNotePath, renamedNote } from '../../core/config/new-notes';
import { agentNames } from '../../core/config/resolve-agent';
import { refusal } from '../../core/fault';
import type { CoreServices } from '../app/core-services';
import { openForm, pick } from '../ui/dialog';
import { commands } from '../ui/menu';
import { notify } from '../ui/notify';
import { openView } from '../ui/open-view';
import type { ProblemsPanel } from '../problems/problems-panel';
import { faultText, t } from '../language/text';
import type { ConfigRow } from './agent-rows';
import { AGENTS_VIEW, AgentsView, type AgentsViewDeps } from './agents-view';
import { CopyForm, NewNoteForm, type NewNote } from './config-forms';
import { canOpen, CONFIG_NOTE_VIEW, ConfigNoteView, openConfigFile } from './config-note-view';
import type { ConfigSource } from './config-source';

interface AgentsPanelDeps {
  readonly app: App;
  readonly parts: Pick<CoreServices, 'store' | 'clock' | 'runtime'>;
  readonly config: ConfigSource;
  readonly problems: ProblemsPanel;
}

/** The user interface for agents and skills: view, dialogs, commands. */
export class AgentsPanel {
  constructor(private readonly deps: AgentsPanelDeps) {}

  /** @param shown called when one of our views is shown */
  register(plugin: Plugin, shown: () => void): void {
    const { app, config, parts, problems } = this.deps;
    const { store, clock } = parts;
    const view: AgentsViewDeps = {
      ...{ config, shown },
      pick: (choices, words) => pick(app, choices, words, true),
      open: (file: string, line: number) => void openConfigFile(app, file, line),
      newAgent: () => void this.create('agent'),
      newSkill: () => void this.create('skill'),
      duplicate: (row: ConfigRow) => void this.duplicate(row),
    };
    plugin.registerView(AGENTS_VIEW, (leaf) => new AgentsView(leaf, view));
    const note = { store, clock, config, problems };
    plugin.registerView(CONFIG_NOTE_VIEW, (leaf) => new ConfigNoteView(leaf, note));
  }

  readonly open = (): Promise<unknown> => openView(this.deps.app, AGENTS_VIEW, 'tab');

  commands(): readonly Command[] {
    return commands(
      ['open-agents', t('config.openAgents'), this.open],
      ['new-agent', t('config.newAgent'), () => this.create('agent')],
      ['new-skill', t('config.newSkill'), () => this.create('skill')],
    );
  }

  private async create(kind: 'agent' | 'skill'): Promise<void> {
    const loaded = await this.readOrNotify();
    if (loaded === undefined) return;
    const { app, parts } = this.deps;
    const given = { kind, taken: takenNames(loaded, kind), catalog: () => parts.runtime.catalog() };
    const title = t(kind === 'agent' ? 'config.newAgentTitle' : 'config.newSkillTitle');
    const file = await openForm<string>(app, title, (onDone) => {
      const write = ({ name, mode, model, body, ...note }: NewNote) => {
        const description = note.description.trim();
        const fields = kind === 'agent' ? { description, mode, model } : { name, description };
        return this.write(newNotePath(loaded, kind, name), () => configNote(fields, body), onDone);
      };
      return <NewNoteForm {...{ ...given, write, onDone }} />;
    });
    await this.show(file);
  }

  private async duplicate(row: ConfigRow): Promise<void> {
    const loaded = await this.readOrNotify();
    if (loaded === undefined || (row.kind !== 'agent' && row.kind !== 'skill')) return;
    const { kind } = row;
    const given = { kind, name: row.name, taken: takenNames(loaded, kind) };
    const title = t('config.copyOf', { name: row.name });
    const file = await openForm<string>(this.deps.app, title, (onDone) => {
      const text = (name: string) => this.copied(loaded, row, name);
      const write = (name: string) =>
        this.write(newNotePath(loaded, kind, name), () => text(name), onDone);
      return <CopyForm {...{ ...given, write, onDone }} />;
    });
    await this.show(file);
  }

  /**
   * The text of the copy: the note with its new name, or a new note if the source is not a single
   * note.
   */
  private async copied(
    loaded: LoadedConfig,
    row: Extract<ConfigRow, { readonly kind: 'agent' | 'skill' }>,
    name: string,
  ): Promise<string> {
    const files = row.kind === 'agent' ? row.agent.said.map(({ file }) => file) : [row.skill.file];
    const [file = '', ...others] = files;
    const isNote = others.length === 0 && file.endsWith('.md') && canOpen(file);
    const text = isNote ? await this.deps.parts.store.read(file) : undefined;
    const same = text === undefined ? undefined : renamedNote(text, name);
    if (same !== undefined) return same;
    if (row.kind === 'agent') return agentAsNote(loaded, row.name);
    return configNote({ name, description: row.skill.description }, row.skill.content);
  }

  private async readOrNotify(): Promise<LoadedConfig | undefined> {
    const { config } = this.deps;
    const loaded = await config.read();
    if (loaded === undefined) notify(config.state.fault ?? t('config.unreadable'));
    return loaded;
  }

  /**
   * Writes a new file, never over an existing one, and closes the form; returns why not if it is
   * refused.
   */
  private async write(
    file: string,
    text: () => string | Promise<string>,
    onDone: (file: string) => void,
  ): Promise<string | undefined> {
    const outcome = { isThere: false };
    const why = await refusal(async () => {
      const created = await text();
      const written = await this.deps.parts.store.update(file, (before) =>
        before === undefined ? created : undefined,
      );
      outcome.isThere = written !== created;
    });
    if (why !== undefined) return t('config.notCreated', { file, why: faultText(why) });
    if (outcome.isThere) return t('config.isThere', { file });
    onDone(file);
    return undefined;
  }

  private async show(file: string | undefined): Promise<void> {
    if (file === undefined) return;
    const { app, config } = this.deps;
    await config.read();
    notify(t('config.created', { file }));
    await openConfigFile(app, file);
  }
}

/** Of all that there are, and of files that OpenCode leaves out: none is written over. */
function takenNames(loaded: LoadedConfig, kind: 'agent' | 'skill'): readonly string[] {
  const { skills, problems } = loaded;
  const names = kind === 'agent' ? agentNames(loaded) : skills.map(({ name }) => name);
  const own =
    kind === 'agent' ? /^\.opencode\/agents?\/(.+)\.md$/ : /^\.opencode\/skills?\/(.+)\/SKILL\.md$/;
  const files = [...skills, ...problems].flatMap(({ file }) => own.exec(file)?.[1] ?? []);
  return [...names, ...files];
}
