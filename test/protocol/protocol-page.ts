import * as z from 'zod/mini';
import { errorCode } from '../../src/protocol/wire-error';
import { FROM_BRIDGE } from '../../src/protocol/from-bridge';
import { CLOSE } from '../../src/protocol/handshake';
import { RUN_FOLDER, runFile } from '../../src/protocol/run-file';
import { TO_BRIDGE } from '../../src/protocol/to-bridge';
import { ENVELOPE, HEAD, TAIL } from './protocol-words';

type Schema = z.core.JSONSchema.JSONSchema;

interface Row {
  readonly field: string;
  readonly type: string;
  readonly limits: string;
  readonly meaning: string;
}

/** The text of `docs/PROTOCOL.md`: tables from the declarations, between hand-written texts. */
export function protocolPage(): string {
  return [
    HEAD,
    `## The run file\n\n\`${RUN_FOLDER}/<pid>.json\`:\n\n${table(rows(json(runFile())))}`,
    ENVELOPE,
    table(rows(json(TO_BRIDGE.ping())).filter(({ field }) => !/^(type|payload)/.test(field))),
    '## Client to bridge',
    ...Object.entries(TO_BRIDGE).map(([type, schema]) => section(type, json(schema()))),
    '## Bridge to client',
    ...Object.entries(FROM_BRIDGE).map(([type, schema]) => section(type, json(schema()))),
    '## Codes',
    `In \`error\`: ${errorCode().options.map(code).join(', ')}.`,
    `When closing: ${Object.entries(CLOSE)
      .map(([name, number]) => `${number} ${name}`)
      .join(', ')}.`,
    TAIL,
  ].join('\n\n');
}

function json(schema: z.core.$ZodType): Schema {
  return z.toJSONSchema(schema);
}

function section(type: string, schema: Schema): string {
  const session = schema.required?.includes('sessionId') ? ' Names its session.' : '';
  const payload = property(schema, 'payload');
  const variants = payload.oneOf ?? [payload];
  const tables = variants.map((variant) => table(rows(variant))).filter((text) => text !== '');
  const body = tables.length === 0 ? 'Its payload is empty.' : tables.join('\n\n');
  return `### \`${type}\`\n\n${schema.description ?? ''}${session}\n\n${body}`;
}

/** Every field of an object, nested ones as `a.b` and `a[].b`. */
function rows(schema: Schema, prefix = ''): Row[] {
  return Object.keys(schema.properties ?? {})
    .filter((name) => name !== 'truncated')
    .flatMap((name) => {
      const child = property(schema, name);
      const optional = schema.required?.includes(name) ? '' : '?';
      const field = `${prefix}${name}`;
      const meaning = child.description ?? '';
      const row = {
        field: `${field}${optional}`,
        type: typeOf(child),
        limits: limitsOf(child),
        meaning,
      };
      return [row, ...nested(child, field)];
    });
}

function nested(schema: Schema, field: string): Row[] {
  if (schema.type === 'array') return nested(itemsOf(schema), `${field}[]`);
  const variants = schema.oneOf;
  if (variants !== undefined) return variants.flatMap((variant) => rows(variant, `${field}.`));
  return rows(schema, `${field}.`);
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(', ');
  if (schema.type === 'array') return `list of ${typeOf(itemsOf(schema))}`;
  if (schema.oneOf !== undefined) return 'object, one of';
  if (schema.type === 'integer') return 'whole number';
  return typeof schema.type === 'string' ? schema.type : 'any JSON';
}

function limitsOf(schema: Schema): string {
  if (schema.type === 'array') {
    const item = limitsOf(itemsOf(schema));
    return `≤ ${schema.maxItems} entries${item === '' ? '' : ` of ${item}`}`;
  }
  if (schema.pattern !== undefined) return code(schema.pattern);
  if (schema.maxLength !== undefined) return range(schema.minLength, schema.maxLength, ' units');
  return range(schema.minimum, schema.maximum, '');
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  const bounded = to !== undefined && to !== Number.MAX_SAFE_INTEGER;
  if (bounded) return from === undefined ? `≤ ${to}${unit}` : `${from} to ${to}${unit}`;
  return from === undefined ? '' : `≥ ${from}`;
}

function property(schema: Schema, name: string): Schema {
  return schema.properties?.[name] as Schema;
}

function itemsOf(schema: Schema): Schema {
  return schema.items as Schema;
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(all: readonly Row[]): string {
  if (all.length === 0) return '';
  const lines = all.map(
    ({ field, type, limits, meaning }) => `| \`${field}\` | ${type} | ${limits} | ${meaning} |`,
  );
  return ['| Field | Type | Limits | Meaning |', '|---|---|---|---|', ...lines].join('\n');
}
