import type { App, Command, Plugin } from 'obsidian';
import type { LoadedConfig } from '../../core/config/load-config';
import { agentAsNote, configNote, newNotePath, renamedNote } from '../../core/config/new-notes';
import { agentNames } from '../../core/config/resolve-agent';
import { StoreError } from '../../core/ports';
import type { CoreServices } from '../app/core-services';
import { openForm } from '../ui/dialog';
import { commands } from '../ui/menu';
import { notify } from '../ui/notify';
import { openView } from '../ui/open-view';
import type { ProblemsPanel } from '../problems/problems-panel';
import { t } from '../language/text';
import type { ConfigRow } from './agent-rows';
import { AGENTS_VIEW, AgentsView } from './agents-view';
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
    const view = {
      ...{ config, shown },
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
    const note = await openForm<NewNote>(app, title, (onDone) => (
      <NewNoteForm {...{ ...given, onDone }} />
    ));
    if (note === undefined) return;
    const { name, mode, model, body } = note;
    const description = note.description.trim();
    const fields = kind === 'agent' ? { description, mode, model } : { name, description };
    await this.write(newNotePath(loaded, kind, name), configNote(fields, body));
  }

  private async duplicate(row: ConfigRow): Promise<void> {
    const loaded = await this.readOrNotify();
    if (loaded === undefined || (row.kind !== 'agent' && row.kind !== 'skill')) return;
    const { kind } = row;
    const given = { kind, name: row.name, taken: takenNames(loaded, kind) };
    const title = t('config.copyOf', { name: row.name });
    const name = await openForm<string>(this.deps.app, title, (onDone) => (
      <CopyForm {...{ ...given, onDone }} />
    ));
    if (name === undefined) return;
    await this.write(newNotePath(loaded, kind, name), await this.copied(loaded, row, name));
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

  /** Writes a new file; refuses to overwrite an existing one. */
  private async write(file: string, text: string): Promise<void> {
    const { app, parts, config } = this.deps;
    let written: string | undefined;
    try {
      written = await parts.store.update(file, (before) =>
        before === undefined ? text : undefined,
      );
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return void notify(t('config.notCreated', { file, why: error.message }));
    }
    if (written !== text) return void notify(t('config.isThere', { file }));
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
