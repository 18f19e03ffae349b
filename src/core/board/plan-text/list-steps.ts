import { closesFence, fenceOf } from './fences';
import { readPlanLine, type PlanLine } from './plan-line';
import type { PlanStep } from './plan-step';

export interface ListSteps {
  readonly form: 'numbered' | 'bullets';
  readonly title: string | undefined;
  readonly steps: readonly PlanStep[];
}

/** The steps of a list; undefined where there is none. Lists in code fences are none. */
export function listSteps(lines: readonly string[]): ListSteps | undefined {
  const read = outsideFences(lines);
  const numbered = read.some((line) => line.kind === 'item' && line.label !== undefined);
  const reader = new ListReader(numbered);
  for (const line of read) reader.read(line);
  const { steps, title } = reader;
  if (steps.length === 0) return undefined;
  return { form: numbered ? 'numbered' : 'bullets', title, steps };
}

/** A line in a fence is text of the step that the fence stands in, if it stands in one. */
function outsideFences(lines: readonly string[]): readonly PlanLine[] {
  let open: string | undefined;
  return lines.map((line): PlanLine => {
    const text = line.trim();
    const inside = { kind: 'text', indent: Infinity, text } as const;
    if (open !== undefined) {
      if (closesFence(open, text)) open = undefined;
      return inside;
    }
    open = fenceOf(text);
    return open === undefined ? readPlanLine(line) : inside;
  });
}

interface GrowingStep extends PlanStep {
  readonly body: string[];
  readonly success: string[];
  readonly tools: string[];
  readonly dependsOn: string[];
  readonly steps: GrowingStep[];
}

interface Level {
  readonly indent: number;
  readonly label: string | undefined;
  readonly step: GrowingStep;
}

/** Steps in steps: deeper lists belong to the deepest of these. */
const MOST_LEVELS = 8;

class ListReader {
  readonly steps: GrowingStep[] = [];
  /** the last heading before the first step */
  title: string | undefined;
  private readonly stack: Level[] = [];
  private phase: string | undefined;
  /** the indent from which on items are criteria of the step at hand; undefined: they are steps */
  private criteria: number | undefined;
  private gap = false;

  constructor(private readonly numbered: boolean) {}

  read(line: PlanLine): void {
    const top = this.stack.at(-1);
    switch (line.kind) {
      case 'blank':
        this.gap = true;
        return;
      case 'heading':
        if (this.steps.length === 0) this.title ??= line.text;
        else this.phase = line.text;
        this.stack.length = 0;
        break;
      case 'property':
        if (top !== undefined) this.property(top.step, line);
        break;
      case 'item':
        this.item(line);
        break;
      case 'text':
        // A paragraph of its own at the edge is about the whole plan.
        if (top !== undefined && (!this.gap || line.indent > top.indent)) {
          top.step.body.push(line.text);
        }
        break;
    }
    this.gap = false;
  }

  private property(step: GrowingStep, line: Extract<PlanLine, { kind: 'property' }>): void {
    const { name, text, indent, bullet } = line;
    this.criteria = undefined;
    if (name === 'depends') step.dependsOn.push(...labelsIn(text));
    else if (name === 'tool') step.tools.push(...[text].filter((one) => one !== ''));
    else if (text !== '') step.success.push(text);
    else this.criteria = bullet ? indent + 1 : indent;
  }

  private item(line: Extract<PlanLine, { kind: 'item' }>): void {
    const { indent, label, text } = line;
    const top = this.stack.at(-1);
    if (this.criteria !== undefined && label === undefined && indent >= this.criteria && top) {
      top.step.success.push(text);
      return;
    }
    this.criteria = undefined;
    const outer = this.stack[0];
    if (this.numbered && label === undefined && (outer === undefined || indent <= outer.indent)) {
      // Between numbered steps, a bullet at their edge is a remark on the one above it.
      outer?.step.body.push(`- ${text}`);
      return;
    }
    const parent = this.parentFor(indent, label);
    const step = stepOf(line, parent === undefined ? this.phase : undefined);
    (parent?.steps ?? this.steps).push(step);
    if (this.stack.length < MOST_LEVELS) this.stack.push({ indent, label, step });
  }

  /** `2.1` belongs to `2`, however it is indented; else what is indented deeper. */
  private parentFor(indent: number, label: string | undefined): GrowingStep | undefined {
    const dot = label?.lastIndexOf('.') ?? -1;
    const above = dot < 0 ? undefined : label?.slice(0, dot);
    const at = above === undefined ? -1 : this.stack.findIndex((one) => one.label === above);
    if (at >= 0) this.stack.length = at + 1;
    else while ((this.stack.at(-1)?.indent ?? -1) >= indent) this.stack.pop();
    return this.stack.at(-1)?.step;
  }
}

function stepOf(
  { text, label, status }: Extract<PlanLine, { kind: 'item' }>,
  phase: string | undefined,
): GrowingStep {
  const { rest, dependsOn } = withoutDepends(text);
  const [, strong, more = ''] = /^\*\*([^*]{1,400})\*\*\s*[:–—-]?\s*(.*)$/.exec(rest) ?? [];
  return {
    title: strong === undefined ? rest : strong.replace(/:$/, ''),
    label,
    body: more === '' ? [] : [more],
    success: [],
    tools: [],
    dependsOn,
    steps: [],
    phase,
    fields: { status: status ?? null },
  };
}

/** "Build it (depends on 1, 2)". */
function withoutDepends(text: string): { rest: string; dependsOn: string[] } {
  const from = text.toLowerCase().lastIndexOf('depends on');
  const open = text.charAt(from - 1);
  const close = text.charAt(text.length - 1);
  if (from < 2 || !((open === '(' && close === ')') || (open === '[' && close === ']'))) {
    return { rest: text, dependsOn: [] };
  }
  const dependsOn = labelsIn(text.slice(from + 'depends on'.length));
  return { rest: text.slice(0, from - 1).trim(), dependsOn };
}

/** `Steps 1, 2.1 and #3` as `1`, `2.1`, `3`. */
function labelsIn(text: string): string[] {
  return text.match(/\d{1,4}(?:\.\d{1,4}){0,5}/g)?.slice(0, 100) ?? [];
}
