import { STATUS_OF_MARK } from './status-of-mark';
import type { Status } from '../task';

/** What a line of a written plan is. `indent` is in characters, a tab counts four. */
export type PlanLine =
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
      /** it is a list item itself */
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

export function readPlanLine(line: string): PlanLine {
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
