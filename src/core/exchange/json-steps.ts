import type { SourceTask } from './source-task';
import { parseJson } from '../json';

/** Deepest nesting of JSON that is parsed; more than any plan has. */
const MAX_DEPTH = 64;

/** Deepest nesting of steps. */
const MAX_LEVELS = 8;

/** Most code fences that are tried. */
const MAX_FENCES = 20;

/**
 * Finds steps in JSON: the whole text, a code fence, or a part of prose. Undefined if there are
 * none.
 */
export function jsonSteps(
  text: string,
): { readonly title: string | undefined; readonly steps: readonly PlanStep[] } | undefined {
  for (const candidate of candidates(text)) {
    const value = parseCandidate(candidate);
    const list = listOf(value);
    const steps = list === undefined ? [] : stepsOf(list, 1);
    if (steps.length > 0) return { title: textOf(value, ['title', 'goal', 'name']), steps };
  }
  return undefined;
}

function* candidates(text: string): Generator<string> {
  yield text.trim();
  yield* fences(text).slice(0, MAX_FENCES);
  for (const [open, close] of [
    ['{', '}'],
    ['[', ']'],
  ] as const) {
    const [from, to] = [text.indexOf(open), text.lastIndexOf(close)];
    if (from >= 0 && to > from) yield text.slice(from, to + 1);
  }
}

function parseCandidate(text: string): unknown {
  // Text that is not JSON is parsed by `listSteps` later.
  return !/^\s*[[{]/.test(text) || isTooDeep(text) ? undefined : parseJson(text);
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

const LIST_KEYS = ['steps', 'plan', 'tasks', 'todos', 'items'];

const SUBLIST_KEYS = [
  'steps',
  'substeps',
  'sub_steps',
  'subtasks',
  'sub_tasks',
  'children',
  'tasks',
];

const TITLE_KEYS = ['title', 'name', 'step', 'task', 'content', 'action', 'description', 'goal'];

const SUCCESS_KEYS = [
  'successCriteria',
  'success_criteria',
  'success',
  'acceptanceCriteria',
  'acceptance_criteria',
  'criteria',
];

const DEPENDENCY_KEYS = ['dependsOn', 'depends_on', 'dependencies', 'depends', 'deps'];

function listOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as readonly unknown[];
  const found = valueOf(value, LIST_KEYS);
  if (Array.isArray(found)) return found as readonly unknown[];
  const inner = valueOf(found, ['steps', 'tasks']);
  return Array.isArray(inner) ? (inner as readonly unknown[]) : undefined;
}

function stepsOf(list: readonly unknown[], level: number): readonly PlanStep[] {
  return list.flatMap((item): readonly PlanStep[] => {
    if (typeof item === 'string') return item.trim() === '' ? [] : [{ title: item.trim() }];
    const title = textOf(item, TITLE_KEYS);
    if (title === undefined) return [];
    const description = textOf(item, ['description', 'details', 'detail']);
    const inner = valueOf(item, SUBLIST_KEYS);
    const sub = Array.isArray(inner) && level < MAX_LEVELS ? stepsOf(inner, level + 1) : [];
    const text = (...names: string[]): string | null => textOf(item, names) ?? null;
    return [
      {
        title,
        label: textOf(item, ['id', 'number', 'n']),
        body: description === undefined || description === title ? [] : description.split('\n'),
        success: textsOf(valueOf(item, SUCCESS_KEYS)),
        tools: textsOf(valueOf(item, ['tool', 'tools', 'tool_name'])),
        dependsOn: textsOf(valueOf(item, DEPENDENCY_KEYS))
          .flatMap((one) => one.split(/[\s,;#]+/))
          .filter((one) => one !== ''),
        steps: sub,
        phase: textOf(item, ['phase']),
        fields: {
          ...{ status: text('status'), priority: text('priority') },
          ...{ owner: text('owner', 'agent', 'assignee'), estimate: text('estimate') },
          ...{ scope: text('scope'), risk: text('risk') },
          ...{ impact: text('impact'), level: text('level') },
        },
      },
    ];
  });
}

/** The first of these own properties that has a value. */
function valueOf(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const record = new Map(Object.entries(value));
  return names
    .map((name): unknown => record.get(name))
    .find((one) => one !== undefined && one !== null);
}

function textOf(value: unknown, names: readonly string[]): string | undefined {
  return names.flatMap((name) => textsOf(valueOf(value, [name])).slice(0, 1)).at(0);
}

/** Texts and numbers, single or in a list. */
function textsOf(value: unknown): readonly string[] {
  const list = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  return list.flatMap((one) => {
    if (typeof one === 'number') return String(one);
    return typeof one === 'string' && one.trim() !== '' ? one.trim() : [];
  });
}

/** A step of a plan in text form. */
export interface PlanStep {
  readonly title: string;
  /** the name by which other steps refer to it; if absent, its position: `2` or `2.1` */
  readonly label?: string | undefined;
  readonly body?: readonly string[];
  /** conditions that must be met when it is done */
  readonly success?: readonly string[];
  readonly tools?: readonly string[];
  /** labels of other steps */
  readonly dependsOn?: readonly string[];
  readonly steps?: readonly PlanStep[];
  readonly phase?: string | undefined;
  readonly fields?: Pick<
    SourceTask,
    'status' | 'priority' | 'owner' | 'estimate' | 'scope' | 'risk' | 'impact' | 'level'
  >;
}

/** The characters of a code fence that the line opens or may close; undefined for other lines. */
export function fenceOf(line: string): string | undefined {
  return /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
}

/** Whether the line closes a fence opened with `open`. */
export function closesFence(open: string, line: string): boolean {
  const fence = fenceOf(line);
  return fence !== undefined && fence.startsWith(open) && line.trim() === fence;
}

/** The contents of a text's code fences. An unclosed one extends to the end. */
function fences(text: string): readonly string[] {
  const found: string[] = [];
  let open: string | undefined;
  let inside: string[] = [];
  for (const line of text.split(/\r\n|[\r\n]/)) {
    if (open === undefined) {
      open = fenceOf(line);
      inside = [];
    } else if (closesFence(open, line)) {
      found.push(inside.join('\n'));
      open = undefined;
    } else inside.push(line);
  }
  if (open !== undefined) found.push(inside.join('\n'));
  return found;
}
