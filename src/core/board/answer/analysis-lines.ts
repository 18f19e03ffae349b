import { nameOf, shortened } from '../operation/find-task';
import type { Board } from '../task';
import type { AnalysisJson } from './analysis-json';

/** Tasks that one line names; the rest is counted. */
const MOST_NAMES = 8;
const MOST_CYCLES = 3;
/** A title without an id, in characters. */
const LONGEST_NAME = 60;

/** An analysis as lines for a model: what is wrong first, then what to do first, then what could go wrong. */
export function analysisLines(board: Board, found: AnalysisJson): readonly string[] {
  const names = new Map(board.tasks.map((task) => [task.id ?? task.title, nameOf(task)]));
  const name = (task: string): string => shortened(names.get(task) ?? task, LONGEST_NAME);
  const list = (tasks: readonly string[], by = ', '): string => listed(tasks.map(name), by);
  const { whatIf, criticalPath, parallel, bottlenecks, risk, decompose } = found;
  const lines = found.cycles
    .slice(0, MOST_CYCLES)
    .map((way) => `Wait for each other: ${list(way, ' waits for ')}. Remove one of these waits.`);
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
  const length = lengthText(found.unit, found.length);
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
  const rest = names.length - MOST_NAMES;
  const shown = names.slice(0, MOST_NAMES).join(by);
  return rest > 0 ? `${shown}${by}and ${rest} more` : shown;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function lengthText(unit: AnalysisJson['unit'], length: number): string {
  if (unit === 'tasks') return length === 1 ? '1 task' : `${length} tasks`;
  const minutes = length % 60;
  const hours = (length - minutes) / 60;
  return [hours > 0 ? `${hours} h` : '', minutes > 0 || hours === 0 ? `${minutes} min` : '']
    .filter((part) => part !== '')
    .join(' ');
}
