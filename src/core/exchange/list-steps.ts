import { STATUS_OF_MARK } from '../board/note/task-block';
import { closesFence, fenceOf, type PlanStep } from './json-steps';
import type { Status } from '../board/task';

/** Finds the steps of a list; undefined if there is none. Ignores lists in code fences. */
export function listSteps(lines: readonly string[]) {
  const read = classifyLines(lines);
  const numbered = read.some((line) => line.kind === 'item' && line.label !== undefined);
  const reader = new ListReader(numbered);
  for (const line of read) reader.read(line);
  const { steps, title } = reader;
  if (steps.length === 0) return undefined;
  return { form: numbered ? ('numbered' as const) : ('bullets' as const), title, steps };
}

/** Classifies lines. Those in a code fence are text of the step that contains the fence, if any. */
function classifyLines(lines: readonly string[]): readonly PlanLine[] {
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

interface StepDraft extends PlanStep {
  readonly body: string[];
  readonly success: string[];
  readonly tools: string[];
  readonly dependsOn: string[];
  readonly steps: StepDraft[];
}

interface Level {
  readonly indent: number;
  readonly label: string | undefined;
  readonly step: StepDraft;
}

/** Deepest nesting of steps. Deeper lists are added to the deepest level. */
const MAX_LEVELS = 8;

class ListReader {
  readonly steps: StepDraft[] = [];
  /** the last heading before the first step */
  title: string | undefined;
  private readonly stack: Level[] = [];
  private phase: string | undefined;
  /** indent from which items are criteria of the current step; undefined: items are steps */
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
        // A separate paragraph without indentation is about the whole plan.
        if (top !== undefined && (!this.gap || line.indent > top.indent)) {
          top.step.body.push(line.text);
        }
        break;
    }
    this.gap = false;
  }

  private property(step: StepDraft, line: Extract<PlanLine, { kind: 'property' }>): void {
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
      // A bullet between numbered steps, not indented further, is text of the step above.
      outer?.step.body.push(`- ${text}`);
      return;
    }
    const parent = this.parentFor(indent, label);
    const step = stepOf(line, parent === undefined ? this.phase : undefined);
    (parent?.steps ?? this.steps).push(step);
    if (this.stack.length < MAX_LEVELS) this.stack.push({ indent, label, step });
  }

  /** Finds the parent: `2` for `2.1`, whatever the indentation; otherwise by indentation. */
  private parentFor(indent: number, label: string | undefined): StepDraft | undefined {
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
): StepDraft {
  const { rest, dependsOn } = splitDependencies(text);
  const { title, more } = splitBoldTitle(rest);
  return {
    title,
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

/** Splits a bold title from its text, as in "**Build it**: as in the sketch". */
export function splitBoldTitle(text: string): { readonly title: string; readonly more: string } {
  const [, strong, more = ''] = /^\*\*([^*]{1,400})\*\*\s*[:–—-]?\s*(.*)$/.exec(text) ?? [];
  return strong === undefined ? { title: text, more } : { title: strong.replace(/:$/, ''), more };
}

/** Splits off prerequisites, as in "Build it (depends on 1, 2)". */
function splitDependencies(text: string): { rest: string; dependsOn: string[] } {
  const from = text.toLowerCase().lastIndexOf('depends on');
  const open = text.charAt(from - 1);
  const close = text.charAt(text.length - 1);
  if (from < 2 || !((open === '(' && close === ')') || (open === '[' && close === ']'))) {
    return { rest: text, dependsOn: [] };
  }
  const dependsOn = labelsIn(text.slice(from + 'depends on'.length));
  return { rest: text.slice(0, from - 1).trim(), dependsOn };
}

/** Extracts labels: `Steps 1, 2.1 and #3` gives `1`, `2.1`, `3`. */
function labelsIn(text: string): string[] {
  return text.match(/\d{1,4}(?:\.\d{1,4}){0,5}/g)?.slice(0, 100) ?? [];
}

/** A classified line of a plan. `indent` is in characters; a tab counts as four. */
type PlanLine =
  | { readonly kind: 'blank' }
  | { readonly kind: 'heading'; readonly text: string }
  | {
      readonly kind: 'item';
      readonly indent: number;
      /** `2`, `2.1`; undefined for a bullet */
      readonly label: string | undefined;
      readonly status: Status | undefined;
      readonly text: string;
    }
  | {
      readonly kind: 'property';
      readonly name: 'success' | 'tool' | 'depends';
      readonly indent: number;
      /** whether it is a list item */
      readonly bullet: boolean;
      readonly text: string;
    }
  | { readonly kind: 'text'; readonly indent: number; readonly text: string };

const NUMBERED =
  /^(?:#{1,6} +)?(?:\*\*)?(?:step +)?(\d{1,4}(?:\.\d{1,4}){0,5})(?:[.):](?:\*\*)?|(?: [-–—:]))\s+(\S.*)$/i;

const DOTTED = /^(\d{1,4}(?:\.\d{1,4}){1,5})\s+(\S.*)$/;

const BULLET = /^[-*+•]\s+(?:\[(.)\]\s+)?(\S.*)$/;

const CHECKBOX = /^\[(.)\]\s+(\S.*)$/;

const PROPERTY =
  /^(?:\*\*|__)?(success criteria|success criterion|success|acceptance criteria|tools?|depends on|dependencies|dependency)(?:\*\*|__)?:(?:\*\*|__)?\s*(.*)$/i;

function readPlanLine(line: string): PlanLine {
  const text = line.trim();
  if (text === '') return { kind: 'blank' };
  const indent = indentOf(line);
  const numbered = NUMBERED.exec(text) ?? DOTTED.exec(text);
  if (numbered !== null) {
    const [, label, rest = ''] = numbered;
    const box = CHECKBOX.exec(rest);
    const status = box === null ? undefined : STATUS_OF_MARK.get(box[1] ?? '');
    return { kind: 'item', indent, label, status, text: box?.[2] ?? rest };
  }
  const bullet = BULLET.exec(text);
  const property = propertyOf(bullet === null ? text : (bullet[2] ?? ''));
  if (property !== undefined) {
    return { kind: 'property', indent, bullet: bullet !== null, ...property };
  }
  if (bullet !== null) {
    const [, mark, rest = ''] = bullet;
    const status = mark === undefined ? undefined : STATUS_OF_MARK.get(mark);
    return { kind: 'item', indent, label: undefined, status, text: rest };
  }
  const heading = /^#{1,6} +(\S.*)$/.exec(text)?.[1];
  return heading === undefined
    ? { kind: 'text', indent, text }
    : { kind: 'heading', text: heading };
}

function propertyOf(
  text: string,
): { name: 'success' | 'tool' | 'depends'; text: string } | undefined {
  const [, word, value = ''] = PROPERTY.exec(text) ?? [];
  if (word === undefined) return undefined;
  const first = word.charAt(0).toLowerCase();
  return { name: first === 't' ? 'tool' : first === 'd' ? 'depends' : 'success', text: value };
}

function indentOf(line: string): number {
  let indent = 0;
  for (const char of line) {
    if (char !== ' ' && char !== '\t') break;
    indent += char === '\t' ? 4 : 1;
  }
  return indent;
}
