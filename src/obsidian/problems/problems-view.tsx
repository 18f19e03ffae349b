import type { WorkspaceLeaf } from 'obsidian';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Clock, Severity } from '../../core/ports';
import { Banner } from '../ui/banner';
import type { Ref } from 'preact';
import type { PickItem } from '../ui/dialog';
import { PreactViewWithActions } from '../ui/preact-view';
import { Select, type SelectOptions } from '../ui/fields';
import { Button, Icon, useAccessibleName } from '../ui/icon';
import { shortTime } from '../ui/text';
import { useChanges } from '../ui/use-changes';
import { useViewActions } from '../ui/use-view-actions';
import type { ViewActions, ViewWithActions } from '../ui/view-actions';
import { SEVERITIES, type ProblemEntry, type Problems } from './problems';
import { t } from '../language/text';

export const PROBLEMS_VIEW = 'agent-task-boards-problems';

export interface ProblemsDeps {
  readonly problems: Problems;
  readonly clock: Pick<Clock, 'now'>;
  /** undefined if the problem has no file that can be opened */
  readonly open: (problem: ProblemEntry) => (() => void) | undefined;
  readonly clear: () => void;
  readonly pick: <T>(choices: readonly PickItem<T>[], words: string) => Promise<T | undefined>;
  readonly copyDiagnostics: () => unknown;
  /** one of our views was shown */
  readonly shown: () => void;
}

/** The file whose problems the person wants to see. */
interface RequestedFile {
  readonly file: string;
}

/** All problems in one list. */
export class ProblemsView extends PreactViewWithActions {
  /** other views open beside it, not in its place */
  override navigation = false;
  private wanted: RequestedFile | undefined;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: ProblemsDeps,
  ) {
    super(leaf, { type: PROBLEMS_VIEW, icon: 'circle-alert', class: 'atb-problems' });
  }

  /** Selects the first problem of a file. */
  show(file: string): void {
    this.wanted = { file };
    this.draw();
  }

  override getDisplayText(): string {
    return t('problems.problems');
  }

  override onOpen(): Promise<void> {
    this.draw();
    this.deps.shown();
    return super.onOpen();
  }

  protected override content() {
    const { deps, wanted, handle } = this;
    return <ProblemsApp {...deps} {...{ wanted, handle }} />;
  }
}

const ICONS: Readonly<Record<Severity, string>> = {
  critical: 'octagon-alert',
  error: 'circle-alert',
  warning: 'triangle-alert',
  info: 'info',
};

const NAMES: Readonly<Record<Severity, string>> = {
  critical: t('problems.critical'),
  error: t('problems.error'),
  warning: t('problems.warning'),
  info: t('problems.info'),
};

const SOURCES: Readonly<Record<ProblemEntry['source'], string>> = {
  fault: t('problems.fault'),
  board: t('problems.board'),
  config: t('problems.config'),
};

/** What the list is narrowed to, until the problems of another file are wanted. */
interface Narrowed {
  readonly to: Severity | undefined;
  readonly wanted: RequestedFile | undefined;
}

interface ProblemsProps extends ProblemsDeps {
  readonly wanted: RequestedFile | undefined;
  readonly handle: Ref<ViewWithActions>;
}

/** The problems, and those that are listed. */
interface Listed {
  readonly all: readonly ProblemEntry[];
  readonly shown: readonly ProblemEntry[];
  readonly only: Severity | undefined;
  readonly setOnly: (only: Severity | undefined) => void;
}

function ProblemsApp(props: ProblemsProps) {
  const { problems, wanted } = props;
  useChanges(problems);
  const [narrowed, setNarrowed] = useState<Narrowed>();
  const only = narrowed?.wanted === wanted ? narrowed?.to : undefined;
  const setOnly = (to: Severity | undefined) => setNarrowed({ to, wanted });
  const all = problems.all();
  const shown = only === undefined ? all : all.filter(({ severity }) => severity === only);
  const showAll = { label: t('problems.showAll'), onClick: () => setOnly(undefined) };
  const listed: Listed = { all, shown, only, setOnly };
  useViewActions(props.handle, () => problemActions(props, listed));
  const isReading = all.length === 0 && problems.reading();
  return (
    <div class="atb-problems-app">
      <Bar {...{ props, listed }} />
      {shown.length > 0 ? (
        <List {...{ props, shown }} />
      ) : (
        <Banner
          icon={isReading ? 'spinner' : all.length === 0 ? 'check' : 'filter'}
          label={t(
            isReading
              ? 'problems.reading'
              : all.length === 0
                ? 'problems.nothing'
                : 'problems.noneOfThese',
          )}
          text={all.length === 0 ? t('problems.nothingText') : ''}
          buttons={all.length === 0 ? [] : [showAll]}
        />
      )}
    </div>
  );
}

/** The severities to choose from, with their counts; empty: all. */
function severityOptions({ all, only }: Listed): SelectOptions {
  const countOf = (severity: Severity) => all.filter((one) => one.severity === severity).length;
  const options = SEVERITIES.filter((one) => one === only || countOf(one) > 0).map(
    (one) =>
      [one, t('problems.ofSeverity', { severity: NAMES[one], count: countOf(one) })] as const,
  );
  return [['', t('problems.all', { count: all.length })], ...options];
}

const severityOf = (value: string) => SEVERITIES.find((one) => one === value);

const isFault = ({ source }: ProblemEntry) => source === 'fault';

function problemActions(
  { pick, clear, open }: ProblemsDeps,
  { all, shown, only, setOnly }: Listed,
): ViewActions {
  const openEntry = async () => {
    const choices = shown.flatMap((problem) => {
      const value = open(problem);
      return value === undefined ? [] : [{ text: problem.title, value }];
    });
    (await pick(choices, t('timeline.openWhichEntry')))?.();
  };
  return {
    ...(all.some(isFault) && { 'clear-faults': clear }),
    ...(only !== undefined && { 'clear-filter': () => setOnly(undefined) }),
    ...(all.length > 0 && {
      'filter-by-severity': async () => {
        const options = severityOptions({ all, shown, only, setOnly });
        const choices = options.map(([value, text]) => ({ value, text }));
        const value = await pick(choices, t('problems.severity'));
        if (value !== undefined) setOnly(severityOf(value));
      },
    }),
    ...(shown.some((problem) => open(problem) !== undefined) && { 'open-entry': openEntry }),
  };
}

function Bar({ props, listed }: { readonly props: ProblemsDeps; readonly listed: Listed }) {
  const { all, shown, only, setOnly } = listed;
  const count =
    only !== undefined
      ? t('problems.someOf', { shown: shown.length, count: all.length })
      : t(props.problems.reading() ? 'problems.countSoFar' : 'problems.count', {
          count: all.length,
        });
  return (
    <div class="atb-problems-bar">
      <Select
        name={t('problems.severity')}
        value={only ?? ''}
        options={severityOptions(listed)}
        onChange={(value) => setOnly(severityOf(value))}
      />
      <span class="atb-problems-count" role="status">
        {count}
      </span>
      {all.some(isFault) && <Button words={t('problems.clear')} onClick={props.clear} />}
      <Button words={t('app.copyDiagnostics')} onClick={() => void props.copyDiagnostics()} />
    </div>
  );
}

/** The list is one tab stop: arrow keys move in it, Enter opens. */
function List(given: { readonly props: ProblemsProps; readonly shown: readonly ProblemEntry[] }) {
  const { props, shown } = given;
  const { wanted } = props;
  const [named, name] = useAccessibleName(t('problems.problems'));
  const list = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<string>();
  const at = Math.max(
    0,
    shown.findIndex(({ key }) => key === chosen),
  );
  const go = (to: number): void => {
    const next = Math.min(Math.max(to, 0), shown.length - 1);
    setChosen(shown[next]?.key);
    list.current?.querySelectorAll('[role=option]')[next]?.scrollIntoView({ block: 'nearest' });
  };
  useLayoutEffect(() => {
    if (wanted === undefined) return;
    go(shown.findIndex(({ file }) => file === wanted.file));
    list.current?.focus();
  }, [wanted]);
  const onKey = (event: KeyboardEvent): void => {
    const targets: Readonly<Record<string, number>> = {
      ...{ ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 },
    };
    const [to, problem] = [targets[event.key], shown[at]];
    if (to !== undefined) go(to);
    else if (event.key === 'Enter' && problem !== undefined) props.open(problem)?.();
    else return;
    event.preventDefault();
  };
  return (
    <div
      class="atb-problems-list"
      role="listbox"
      tabIndex={0}
      ref={list}
      aria-activedescendant={optionId(at)}
      onKeyDown={onKey}
      {...named}
    >
      {name}
      {shown.map((problem, index) => (
        <Row
          key={problem.key}
          {...{ problem, props }}
          id={optionId(index)}
          chosen={index === at}
          onChoose={() => setChosen(problem.key)}
        />
      ))}
    </div>
  );
}

function optionId(index: number): string {
  return `atb-problem-${index}`;
}

function Row(given: {
  readonly problem: ProblemEntry;
  readonly props: ProblemsDeps;
  readonly id: string;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}) {
  const { problem, props, id, chosen, onChoose } = given;
  const { severity, title, text } = problem;
  const open = props.open(problem);
  return (
    <div
      class="atb-problem"
      role="option"
      id={id}
      aria-selected={chosen}
      data-severity={severity}
      data-opens={open !== undefined}
      onClick={() => {
        onChoose();
        open?.();
      }}
    >
      <Icon name={ICONS[severity]} />
      <span class="atb-problem-body">
        <span class="atb-problem-title">{title}</span>
        {text !== '' && <span class="atb-problem-text">{text}</span>}
        <span class="atb-problem-place">{detailTexts(problem, props.clock.now()).join(' · ')}</span>
      </span>
    </div>
  );
}

/** "Error · Fault in store.update · Boards/a.md, line 3 · 4 times, first 14:01, last 14:05" */
function detailTexts(problem: ProblemEntry, now: number): readonly string[] {
  const { severity, source, file, line, fault } = problem;
  const place = file !== undefined && line > 0 ? t('problems.at', { file, line }) : file;
  const times =
    fault &&
    t('problems.times', {
      count: fault.count,
      first: shortTime(fault.first, now),
      last: shortTime(fault.last, now),
    });
  const part = fault && `${fault.module}.${fault.operation}`;
  return [NAMES[severity], SOURCES[source], part, place, times].filter((one) => one !== undefined);
}
