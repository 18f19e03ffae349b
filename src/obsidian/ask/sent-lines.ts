import type { Ask } from '../../core/permission/ask';

/** Fields of arguments that the dialog shows by itself, or that say nothing about what is done. */
const TOLD = new Set(['path', 'folder', 'dryRun']);

/**
 * What the agent sent, readable and whole: an operation on the board is one entry ("complete · id:
 * 3"), any other argument one, too ("query: index").
 */
export function sentLines({ args, operation }: Pick<Ask, 'args' | 'operation'>): readonly string[] {
  const fields = fieldsOf(args);
  const operations = new Map(fields).get('operations');
  if (operation === 'tasks' && Array.isArray(operations)) {
    const rest = fields.filter(([name]) => name !== 'operations');
    return [...operations.map(operationLine), ...rest.map(fieldWords)];
  }
  const told = operation === 'tasks' ? fields : fields.filter(([name]) => !TOLD.has(name));
  return told.map(fieldWords);
}

function operationLine(operation: unknown): string {
  const fields = fieldsOf(operation);
  if (fields.length === 0) return textOf(operation);
  const type = new Map(fields).get('type');
  const rest = fields.filter(([name]) => name !== 'type').map(fieldWords);
  return [textOf(type ?? 'no type'), ...rest].join(' · ');
}

function fieldsOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function fieldWords([name, value]: readonly [string, unknown]): string {
  return `${name}: ${textOf(value)}`;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
