import { analyseBoard, type BoardAnalysis } from '../graph/analyse-board';
import { whatIf } from '../graph/what-if';
import type { Board, Task } from '../task';

/** A board's analysis for programs. Tasks are named by id, those without one by title; finished ones are left out. */
export interface AnalysisJson {
  readonly open: number;
  /** what `length` and `slack` count */
  readonly unit: 'tasks' | 'minutes';
  readonly length: number;
  readonly ready: readonly string[];
  readonly blocked: readonly string[];
  readonly order: readonly string[];
  /** each a way of waiting that ends where it began */
  readonly cycles: readonly (readonly string[])[];
  /** prerequisites that are not on the board */
  readonly unknown: readonly { readonly task: string; readonly id: string }[];
  readonly criticalPath: readonly string[];
  readonly slack: readonly { readonly task: string; readonly slack: number }[];
  readonly parallel: readonly (readonly string[])[];
  readonly bottlenecks: readonly { readonly task: string; readonly score: number }[];
  /** the scores were estimated from a sample */
  readonly sampled: boolean;
  readonly risk: { readonly path: readonly string[]; readonly success: number };
  readonly expected: BoardAnalysis['expected'];
  readonly decompose: readonly { readonly task: string; readonly reasons: readonly string[] }[];
  /** what completing one task would do, where one was named */
  readonly whatIf?: {
    readonly task: string;
    readonly frees: readonly string[];
    readonly makesReady: readonly string[];
    readonly stillWait: readonly string[];
  };
}

/** @param task whose completion is asked for */
export function analysisJson(board: Board, task?: Task): AnalysisJson {
  const names = new Map(board.tasks.map(({ key, id, title }) => [key, id ?? title]));
  const name = (key: string): string => names.get(key) ?? key;
  const all = (keys: readonly string[]): readonly string[] => keys.map(name);
  const found = analyseBoard(board);
  const { open, unit, length, sampled, expected } = found;
  return {
    ...{ open, unit, length, sampled, expected },
    ready: all(found.ready),
    blocked: all(found.blocked),
    order: all(found.order),
    cycles: found.cycles.map(all),
    unknown: found.unknown.map(({ key, id }) => ({ task: name(key), id })),
    criticalPath: all(found.criticalPath),
    slack: [...found.slack].map(([key, slack]) => ({ task: name(key), slack })),
    parallel: found.waves.map(all),
    bottlenecks: found.bottlenecks.map(({ key, score }) => ({ task: name(key), score })),
    risk: { path: all(found.riskPath.keys), success: found.riskPath.success },
    decompose: found.split.map(({ key, reasons }) => ({ task: name(key), reasons })),
    ...(task !== undefined && { whatIf: whatIfJson(board, task, all) }),
  };
}

function whatIfJson(
  board: Board,
  task: Task,
  all: (keys: readonly string[]) => readonly string[],
): NonNullable<AnalysisJson['whatIf']> {
  const { frees, makesReady, stillWait } = whatIf(board, task.key);
  return {
    task: task.id ?? task.title,
    frees: all(frees),
    makesReady: all(makesReady),
    stillWait: all(stillWait),
  };
}
