import './jitless';
import * as z from 'zod/mini';
import { isOpaque } from './fields';

/**
 * Keys that could reach a prototype. In typed fields, the frame is refused; from opaque JSON, they
 * are removed.
 */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export interface Sanitized {
  /** whether a typed field or the envelope has such a key */
  readonly refused: boolean;
  /** number of keys removed from opaque JSON */
  readonly removed: number;
}

const CLEAN: Sanitized = { refused: false, removed: 0 };

/**
 * Sanitizes a freshly parsed frame in place. `schema` tells which fields are opaque; fields that it
 * doesn't describe count as typed. `text` is the frame, which is searched first, since most contain
 * no such key.
 */
export function sanitize(text: string, frame: unknown, schema: unknown): Sanitized {
  if (!mayHoldForbiddenKeys(text)) return CLEAN;
  const found = { refused: false, removed: 0 };
  walkTyped(frame, schema, found);
  return found;
}

/**
 * Two of the keys contain "proto". An escape could spell any key, so text with escapes is checked
 * too.
 */
function mayHoldForbiddenKeys(text: string): boolean {
  return text.includes('proto') || text.includes('constructor') || text.includes('\\u');
}

type SanitizeCounts = { -readonly [K in keyof Sanitized]: Sanitized[K] };

/** The recursion is limited by MAX_DEPTH, which is checked before parsing. */
function walkTyped(value: unknown, schema: unknown, found: SanitizeCounts): void {
  const inner = schema instanceof z.ZodMiniOptional ? schema.def.innerType : schema;
  if (isOpaque(inner)) {
    removeForbiddenKeys(value, found);
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

function removeForbiddenKeys(value: unknown, found: SanitizeCounts): void {
  if (Array.isArray(value)) {
    for (const item of value) removeForbiddenKeys(item, found);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      if (FORBIDDEN_KEYS.has(key)) {
        delete value[key];
        found.removed++;
      } else removeForbiddenKeys(value[key], found);
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
