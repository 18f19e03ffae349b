import './jitless';
import * as z from 'zod/mini';
import { isOpaque } from './fields';

/** Keys that could reach a prototype. In typed fields they refuse a frame, in opaque JSON they go. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export interface Sanitized {
  /** a typed field or the envelope held such a key */
  readonly refused: boolean;
  /** keys removed from opaque JSON */
  readonly removed: number;
}

const CLEAN: Sanitized = { refused: false, removed: 0 };

/**
 * Purges a freshly parsed frame in place. `schema` tells which fields are opaque; what it does not
 * describe counts as typed. `text` is the frame, looked at first: most hold no such word.
 */
export function sanitize(text: string, frame: unknown, schema: unknown): Sanitized {
  if (!mayHoldForbiddenKeys(text)) return CLEAN;
  const found = { refused: false, removed: 0 };
  walkTyped(frame, schema, found);
  return found;
}

/** "proto" is in two of the keys. An escape could spell any, so its mere presence asks for the walk. */
function mayHoldForbiddenKeys(text: string): boolean {
  return text.includes('proto') || text.includes('constructor') || text.includes('\\u');
}

type Found = { -readonly [K in keyof Sanitized]: Sanitized[K] };

/** Recursion is bounded by MAX_DEPTH, checked before parsing. */
function walkTyped(value: unknown, schema: unknown, found: Found): void {
  const inner = schema instanceof z.ZodMiniOptional ? schema.def.innerType : schema;
  if (isOpaque(inner)) {
    removeFrom(value, found);
  } else if (Array.isArray(value)) {
    const element = inner instanceof z.ZodMiniArray ? inner.def.element : undefined;
    for (const item of value) walkTyped(item, element, found);
  } else if (isObject(value)) {
    const shape: ReadonlyMap<string, unknown> = new Map(
      inner instanceof z.ZodMiniObject ? Object.entries(inner.def.shape) : [],
    );
    for (const [key, child] of Object.entries(value)) {
      if (FORBIDDEN_KEYS.has(key)) found.refused = true;
      walkTyped(child, shape.get(key), found);
    }
  }
}

function removeFrom(value: unknown, found: Found): void {
  if (Array.isArray(value)) {
    for (const item of value) removeFrom(item, found);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      if (FORBIDDEN_KEYS.has(key)) {
        delete value[key];
        found.removed++;
      } else removeFrom(value[key], found);
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
