import type { WorkspaceLeaf } from 'obsidian';
import type { Ref } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { ConfigProblem } from '../../core/config/config-problem';
import { colorDot, type PickItem } from '../ui/dialog';
import { Placeholders } from '../sidebar/empty-state';
import { Banner, FoldHead } from '../ui/banner';
import { VisibleText } from '../ui/diff-view';
import { mirroredKey } from '../ui/focus';
import { PreactViewWithActions } from '../ui/preact-view';
import { Button, Icon, useAccessibleName } from '../ui/icon';
import { plainLine } from '../ui/text';
import { useChanges } from '../ui/use-changes';
import { useViewActions } from '../ui/use-view-actions';
import type { ViewActions, ViewWithActions } from '../ui/view-actions';
import { t, translated } from '../language/text';
import { AgentDetails, InstructionDetails, modeWords, SkillDetails } from './agent-details';
import { configRows, type ConfigRow, type ConfigSection } from './agent-rows';
import { canOpen } from './config-note-view';
import type { ConfigSource } from './config-source';

export const AGENTS_VIEW = 'agent-task-boards-agents';

export interface AgentsViewDeps {
  readonly config: ConfigSource;
  readonly open: (file: string, line: number) => void;
  readonly newAgent: () => void;
  readonly newSkill: () => void;
  readonly duplicate: (row: ConfigRow) => void;
  readonly pick: <T>(choices: readonly PickItem<T>[], words: string) => Promise<T | undefined>;
  /** one of our views was shown */
  readonly shown: () => void;
}

/** OpenCode's agents, skills and instructions in this vault, with their settings and problems. */
export class AgentsView extends PreactViewWithActions {
  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: AgentsViewDeps,
  ) {
    super(leaf, { type: AGENTS_VIEW, icon: 'bot', class: 'atb-agents' });
  }

  override getDisplayText(): string {
    return t('config.agentsAndSkills');
  }

  override onOpen(): Promise<void> {
    this.draw();
    this.deps.shown();
    return super.onOpen();
  }

  protected override content() {
    return <AgentsApp {...this.deps} handle={this.handle} />;
  }
}

const SECTIONS: readonly ConfigSection[] = ['agents', 'skills', 'instructions', 'files'];

function AgentsApp(deps: AgentsViewDeps & { readonly handle: Ref<ViewWithActions> }) {
  const { config } = deps;
  useChanges(config);
  const { loaded, fault, reachesHome } = config.state;
  const rows = useMemo(() => loaded && configRows(loaded), [loaded]);
  const [named, name] = useAccessibleName(t('config.agentsAndSkills'));
  const list = useRef<HTMLDivElement>(null);
  /** id of the row that had the focus last */
  const at = useRef<string | undefined>(undefined);
  const all = () => [...(rows?.values() ?? [])].flat();
  useViewActions(deps.handle, () => rowActions(deps, all(), at.current));
  const isBare =
    loaded !== undefined &&
    loaded.skills.length + loaded.instructions.length === 0 &&
    rows?.get('agents')?.every(({ from }) => from === undefined) === true;
  return (
    <div class="atb-agents-app">
      <div class="atb-agents-bar" role="toolbar" {...named}>
        {name}
        <Button icon="plus" words={t('config.newAgent')} onClick={deps.newAgent} />
        <Button icon="plus" words={t('config.newSkill')} onClick={deps.newSkill} />
      </div>
      <div
        class="atb-agents-list"
        ref={list}
        onKeyDown={(event) => list.current !== null && onKey(event, list.current)}
        onFocusIn={({ target }) => {
          at.current = (target as Element).closest<HTMLElement>('[data-at]')?.dataset['at'];
        }}
      >
        {fault !== undefined && (
          <Banner
            icon="circle-alert"
            tone="error"
            label={t('config.unreadable')}
            text={fault}
            buttons={[{ label: t('common.tryAgain'), onClick: () => void config.read() }]}
          />
        )}
        {isBare && (
          <Banner
            icon="bot"
            label={t('config.nothingYet')}
            text={t('config.nothingYetText')}
            buttons={[]}
          />
        )}
        <p class="atb-agents-words">{t('config.readAtStart')}</p>
        {!reachesHome && <p class="atb-agents-words">{t('config.homeUnreachable')}</p>}
        {rows === undefined
          ? fault === undefined && <Placeholders />
          : SECTIONS.map((section) => (
              <Section
                key={section}
                rows={rows.get(section) ?? []}
                {...{ section, loaded, deps }}
              />
            ))}
      </div>
    </div>
  );
}

const isNote = ({ from }: ConfigRow) => from !== undefined && canOpen(from.file);

const isCopyable = ({ kind }: ConfigRow) => kind === 'agent' || kind === 'skill';

function openRow({ open }: AgentsViewDeps, { from }: ConfigRow): void {
  if (from !== undefined) open(from.file, from.line);
}

/** Actions on the row that had the focus last; a picker asks which row if it can't be that one. */
function rowActions(
  deps: AgentsViewDeps,
  rows: readonly ConfigRow[],
  at: string | undefined,
): ViewActions {
  const onRow = (fits: (row: ConfigRow) => boolean, run: (row: ConfigRow) => void) => {
    const fitting = rows.filter(fits);
    return async () => {
      const choices = fitting.map((value) => ({ text: plainLine(value.name), value }));
      const row =
        fitting.find(({ id }) => id === at) ??
        (await deps.pick(choices, t('config.agentsAndSkills')));
      if (row !== undefined) run(row);
    };
  };
  return {
    ...(rows.some(isNote) && { 'open-agent': onRow(isNote, (row) => openRow(deps, row)) }),
    ...(rows.some(isCopyable) && { 'duplicate-agent': onRow(isCopyable, deps.duplicate) }),
  };
}

/** Up and Down move between rows; Right and Left expand and collapse. */
function onKey(event: KeyboardEvent, list: HTMLElement): void {
  const heads = [...list.querySelectorAll<HTMLElement>('.atb-agents-head')];
  const at = heads.findIndex((head) => head === event.target);
  if (at < 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: heads.length - 1 }[event.key];
  const isOpen = heads[at]?.ariaExpanded === 'true';
  const isFold = mirroredKey(event) === (isOpen ? 'ArrowLeft' : 'ArrowRight');
  if (to === undefined && !isFold) return;
  event.preventDefault();
  if (isFold) heads[at]?.click();
  else heads[to ?? at]?.focus();
}

function Section(props: {
  readonly section: ConfigSection;
  readonly rows: readonly ConfigRow[];
  readonly deps: AgentsViewDeps;
}) {
  const { section, rows, deps } = props;
  if (rows.length === 0 && (section === 'agents' || section === 'files')) return null;
  return (
    <section class="atb-agents-section">
      <h3>{t(`config.${section}`)}</h3>
      {rows.length === 0 && (
        <p class="atb-agents-words">
          {t(section === 'skills' ? 'config.noSkills' : 'config.noInstructions')}
        </p>
      )}
      {rows.map((row) => (
        <Row key={row.id} {...{ row, deps }} />
      ))}
    </section>
  );
}

function Row({ row, deps }: { readonly row: ConfigRow; readonly deps: AgentsViewDeps }) {
  const [open, setOpen] = useState(false);
  const { from } = row;
  return (
    <div class="atb-agents-row" data-kind={row.kind} data-at={row.id}>
      <FoldHead class="atb-agents-head" open={open} onToggle={() => setOpen(!open)}>
        {row.kind === 'agent' && <AgentColor color={row.agent.color?.value} />}
        <span class="atb-agents-name">{plainLine(row.name)}</span>
        <span class="atb-agents-facts">{factsOf(row)}</span>
        <ProblemCount problems={row.problems} />
        <span class="atb-agents-about">{plainLine(aboutOf(row))}</span>
      </FoldHead>
      {open && (
        <div class="atb-agents-details">
          {row.problems.map((problem) => (
            <Problem key={JSON.stringify(problem)} {...{ problem }} onOpen={deps.open} />
          ))}
          {row.kind === 'agent' && <AgentDetails agent={row.agent} onOpen={deps.open} />}
          {row.kind === 'skill' && <SkillDetails skill={row.skill} onOpen={deps.open} />}
          {row.kind === 'instruction' && <InstructionDetails instruction={row.instruction} />}
          <div class="atb-buttons">
            {isNote(row) && (
              <Button words={t('config.openAsNote')} onClick={() => openRow(deps, row)} />
            )}
            {isCopyable(row) && (
              <Button words={t('config.duplicate')} onClick={() => deps.duplicate(row)} />
            )}
          </div>
          {from?.file.startsWith('~/') === true && (
            <p class="atb-agents-words">{t('config.outside')}</p>
          )}
        </div>
      )}
    </div>
  );
}

function factsOf(row: ConfigRow): string {
  if (row.kind !== 'agent') return row.kind === 'file' ? leftOutLabel(row) : '';
  const { agent } = row;
  return [
    agent.disabled ? t('config.switchedOff') : modeWords(agent.mode.value),
    plainLine(agent.model?.value ?? ''),
    agent.hidden ? t('config.hidden') : '',
    agent.builtIn ? t('config.builtIn') : '',
  ]
    .filter((words) => words !== '')
    .join(' · ');
}

function leftOutLabel({ name }: ConfigRow): string {
  return name.endsWith('.md') ? t('config.leftOut') : '';
}

function aboutOf(row: ConfigRow): string {
  if (row.kind === 'agent') return row.agent.description?.value ?? '';
  if (row.kind === 'skill') return row.skill.description ?? t('config.noDescription');
  if (row.kind === 'file') return translated(row.problems[0]?.message ?? '', 'configProblem');
  return row.instruction.text === undefined ? t('config.atEachPrompt') : '';
}

/** A dot in the agent's colour; the details show its value. */
function AgentColor({ color }: { readonly color: string | undefined }) {
  if (color === undefined) return null;
  return <span class="atb-agent-color" aria-hidden="true" {...colorDot(color)} />;
}

function ProblemCount({ problems }: { readonly problems: readonly ConfigProblem[] }) {
  if (problems.length === 0) return null;
  const isError = problems.some(({ severity }) => severity === 'error');
  return (
    <span class="atb-agents-count" data-tone={isError ? 'error' : 'warning'}>
      <Icon name={isError ? 'circle-alert' : 'triangle-alert'} />
      {t('config.problems', { count: problems.length })}
    </span>
  );
}

function Problem(props: {
  readonly problem: ConfigProblem;
  readonly onOpen: (file: string, line: number) => void;
}) {
  const { file, line, key, severity, message, fix } = props.problem;
  const place = plainLine(line === 0 ? file : t('config.at', { file, line }));
  const isError = severity === 'error';
  return (
    <div class="atb-agents-problem" data-tone={severity}>
      <Icon name={isError ? 'circle-alert' : 'triangle-alert'} />
      <div>
        <div>
          <VisibleText
            text={[message, fix].map((one) => translated(one, 'configProblem')).join(' ')}
          />
        </div>
        <div class="atb-agents-place">
          {canOpen(file) ? (
            <Button
              kind="quiet"
              class="atb-agents-link"
              words={place}
              onClick={() => props.onOpen(file, line)}
            />
          ) : (
            place
          )}
          {key !== '' && (
            <code>
              <VisibleText text={key} />
            </code>
          )}
        </div>
      </div>
    </div>
  );
}
