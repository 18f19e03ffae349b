import type { Finding, FindingKind } from '../../core/board/board-findings';
import { errorSentence, type ErrorHandler, type LoggedFault } from '../../core/error-handler';
import type { Severity, Undo } from '../../core/ports';
import { SHARED_SETTINGS_PATH } from '../../core/shared-settings';
import { Listeners } from '../../core/session/listeners';
import type { BoardRoot } from '../board/board-root';
import type { ConfigSource } from '../config/config-source';
import { findingWords } from '../board/repairs';
import type { Overview } from '../model/overview';
import { t, translated } from '../language/text';

/** A problem, from any source. */
export interface ProblemEntry {
  /** unique among all problems */
  readonly key: string;
  readonly source: 'fault' | 'config' | 'board';
  readonly severity: Severity;
  /**
   * relative to the vault, or to the person's own folder; undefined: the problem concerns no file
   */
  readonly file: string | undefined;
  /** from 1; 0: the whole file */
  readonly line: number;
  readonly title: string;
  /** the cause, and what to do */
  readonly text: string;
  /** the error, with how often it happened */
  readonly fault?: LoggedFault;
  readonly finding?: Finding;
}

export interface ProblemSource {
  problems(): readonly ProblemEntry[];
  /** whether the source is still being read for the first time; absent: never */
  reading?(): boolean;
  subscribe(listener: () => void): Undo;
}

const RANKS: Readonly<Record<Severity, number>> = { critical: 0, error: 1, warning: 2, info: 3 };

export const SEVERITIES = Object.keys(RANKS) as readonly Severity[];

const SHOWN_IN_NOTE: ReadonlySet<FindingKind | undefined> = new Set([
  'broken-note',
  'two-versions',
]);

/** All problems, the most severe first. */
export class Problems {
  private readonly listeners = new Listeners<void>();
  private undos: readonly Undo[] = [];
  private followers = 0;

  constructor(private readonly sources: readonly ProblemSource[]) {}

  all(): readonly ProblemEntry[] {
    return this.sources
      .flatMap((source) => source.problems())
      .sort((a, b) => RANKS[a.severity] - RANKS[b.severity]);
  }

  /** Whether a source is still being read for the first time, so that more problems may follow. */
  reading(): boolean {
    return this.sources.some((source) => source.reading?.() === true);
  }

  /** The problems for a note's banner: all except those that the note shows elsewhere. */
  forFile(file: string): readonly ProblemEntry[] {
    return this.all().filter(
      ({ file: of, severity, finding }) =>
        of === file && severity !== 'info' && !SHOWN_IN_NOTE.has(finding?.kind),
    );
  }

  /** Follows the sources as long as the list has listeners. */
  onChange(listener: () => void): Undo {
    const forget = this.listeners.add(listener);
    this.followers += 1;
    if (this.followers === 1) {
      const call = () => this.listeners.call();
      this.undos = this.sources.map((source) => source.subscribe(call));
    }
    let isActive = true;
    return () => {
      if (!isActive) return;
      isActive = false;
      forget();
      this.followers -= 1;
      if (this.followers > 0) return;
      for (const undo of this.undos) undo();
    };
  }
}

/** Logged errors, the latest first. */
export function faultProblems(log: ErrorHandler): ProblemSource {
  return {
    subscribe: (listener) => log.subscribe(listener),
    problems: () =>
      [...log.faults()].reverse().map((fault): ProblemEntry => {
        const { key, severity, message, hint, data } = fault;
        const { path, error, why } = data;
        const text = [why, error, hint]
          .flatMap(errorSentence)
          .map((one) => translated(one))
          .join(' ');
        const file = typeof path === 'string' ? path : undefined;
        return {
          key,
          source: 'fault',
          severity,
          file,
          line: 0,
          title: translated(message),
          text,
          fault,
        };
      }),
  };
}

/** Problems of OpenCode's configuration. */
export function configProblems(
  config: Pick<ConfigSource, 'state' | 'problems' | 'subscribe'>,
): ProblemSource {
  return {
    subscribe: (listener) => config.subscribe(listener),
    reading: () => config.state.loaded === undefined && config.state.fault === undefined,
    problems: () =>
      config.problems().map(({ file, line, key, severity, message, fix }) => ({
        ...{ key: `${file}:${line} ${key} ${message}`, source: 'config' as const },
        title: configTitle(file, message),
        ...{ severity, file, line, text: translated(fix, 'configProblem') },
      })),
  };
}

/** A message about a whole file, such as "is not JSON", is shown with the file's name. */
function configTitle(file: string, message: string): string {
  const problem = translated(message, 'configProblem');
  return /^[a-z]/.test(message) ? t('problems.ofFile', { file, problem }) : problem;
}

/** Problems that prevent writing until they are repaired. */
const BLOCKING: ReadonlySet<FindingKind> = new Set(['broken-note', 'not-a-file']);

/** Problems of boards. */
export function boardProblems(overview: Overview): ProblemSource {
  return {
    subscribe: (listener) => {
      let before = overview.state.findings;
      return overview.onChange(({ findings }) => {
        if (findings !== before) listener();
        before = findings;
      });
    },
    problems: () =>
      overview.state.findings.map((finding): ProblemEntry => {
        const { kind, path: file, line } = finding;
        const severity = BLOCKING.has(kind) ? 'error' : 'warning';
        const key = `${file}:${line} ${kind} ${finding.text}`;
        return { key, source: 'board', severity, file, line, ...findingWords(finding), finding };
      }),
  };
}

/** Problems of the shared settings, which then don't apply. */
export function settingsProblems(place: Pick<BoardRoot, 'problem' | 'onProblem'>): ProblemSource {
  const file = SHARED_SETTINGS_PATH;
  return {
    subscribe: (listener) => place.onProblem(listener),
    problems: () => {
      const { problem: text } = place;
      if (text === undefined) return [];
      const title = t('problems.settings');
      return [{ key: file, source: 'config', severity: 'error', file, line: 0, title, text }];
    },
  };
}
