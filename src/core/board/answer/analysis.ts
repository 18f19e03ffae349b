import { analyseBoard, type BoardAnalysis } from '../graph/analyse-board';
import { formatDuration } from '../../duration';
import { whatIf } from '../graph/schedule';
import type { Board, Task } from '../task';
import { nameOf, shortened } from '../find-task';

/** A board's analysis for programs. */
export interface AnalysisJson extends BoardAnalysis {
  /** effect of completing one task, if one was named */
  readonly whatIf?: ReturnType<typeof whatIf> & { readonly task: string };
}

/** @param task task whose completion to simulate */
export function analysisJson(given: Board, task?: Task): AnalysisJson {
  const board = uncheckedAsInProgress(given);
  const whole = analyseBoard(board);
  return task === undefined ? whole : { ...whole, whatIf: whatIfJson(board, task) };
}

/** Marks tasks that a run still checks as in progress, since they are not finished work yet. */
function uncheckedAsInProgress({ unchecked, ...board }: Board): Board {
  if (unchecked === undefined) return board;
  const tasks = board.tasks.map((task) =>
    unchecked.has(task.key) ? ({ ...task, status: 'in_progress' } as const) : task,
  );
  return { ...board, tasks };
}

function whatIfJson(board: Board, task: Task) {
  const names = new Map(board.tasks.map(({ key, id, title }) => [key, id ?? title]));
  const all = (keys: readonly string[]) => keys.map((key) => names.get(key) ?? key);
  const { frees, makesReady, stillWait } = whatIf(board, task.key);
  return {
    task: task.id ?? task.title,
    frees: all(frees),
    makesReady: all(makesReady),
    stillWait: all(stillWait),
  };
}

/** Maximum number of tasks named in a line; the others are counted. */
const MAX_NAMES = 8;

const MAX_CYCLES = 3;

/** Maximum length of a name (a title without an id), in characters. */
const LONGEST_NAME = 60;

/** Formats an analysis as lines for a model: faults first, then what to do first, then the risks. */
export function analysisLines(board: Board, found: AnalysisJson): readonly string[] {
  const names = new Map(board.tasks.map((task) => [task.id ?? task.title, nameOf(task)]));
  const name = (task: string): string => shortened(names.get(task) ?? task, LONGEST_NAME);
  const list = (tasks: readonly string[], by = ', '): string => listed(tasks.map(name), by);
  const { whatIf, criticalPath, parallel, bottlenecks, risk, decompose } = found;
  const lines = found.cycles
    .slice(0, MAX_CYCLES)
    .map(
      (cycle) => `Wait for each other: ${list(cycle, ' waits for ')}. Remove one of these waits.`,
    );
  if (found.unknown.length > 0) {
    const missing = found.unknown.map(({ task, id }) => `${name(task)} for ${shortened(id, 40)}`);
    lines.push(`Wait for what is not here: ${listed(missing)}.`);
  }
  if (whatIf !== undefined) {
    const still =
      whatIf.stillWait.length === 0 ? '' : `; ${list(whatIf.stillWait)} would still wait`;
    lines.push(
      `When ${name(whatIf.task)} is done: frees ${list(whatIf.frees)}, makes ready ${list(whatIf.makesReady)}${still}.`,
    );
  }
  if (found.open === 0) return lines;
  const tasks = found.length === 1 ? '1 task' : `${found.length} tasks`;
  const length = found.unit === 'tasks' ? tasks : formatDuration(found.length);
  lines.push(`Critical path (${length}): ${list(criticalPath, ' → ')}.`);
  lines.push(
    `At the same time: ${listed(
      parallel.map((wave) => list(wave)),
      ' | ',
    )}.`,
  );
  if (bottlenecks.length > 0) {
    lines.push(`Bottlenecks: ${list(bottlenecks.slice(0, 3).map(({ task }) => task))}.`);
  }
  lines.push(
    `Riskiest chain (${percent(risk.success)} to succeed at once): ${list(risk.path, ' → ')}.`,
    expectedText(found.expected),
  );
  if (decompose.length > 0) {
    const why = decompose.map(({ task, reasons }) => `${name(task)} (${reasons.join(', ')})`);
    lines.push(`Split these: ${listed(why)}.`);
  }
  return lines;
}

function expectedText({ cost, expectedCost, success, assessed, tasks }: AnalysisJson['expected']) {
  const chance = `all at once ${percent(success)}`;
  const known = `${assessed} of ${tasks} assessed, others taken as medium risk`;
  return `Expected cost ${expectedCost.toFixed(1)}, ${cost.toFixed(1)} if nothing fails; ${chance} (${known}).`;
}

function listed(names: readonly string[], by = ', '): string {
  if (names.length === 0) return 'nothing';
  const rest = names.length - MAX_NAMES;
  const shown = names.slice(0, MAX_NAMES).join(by);
  return rest > 0 ? `${shown}${by}and ${rest} more` : shown;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
