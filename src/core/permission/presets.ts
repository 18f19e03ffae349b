import type { Permissions } from './permissions';
import type { Rule } from './rule';
import { scope, type Scope } from './scope';

const BASE: readonly Rule[] = [
  { permission: 'read', pattern: '**', action: 'allow' },
  { permission: 'tasks', pattern: '**', action: 'allow' },
];

/** The rules of a preset: they stand before the person's own, so those count for more. */
export function presetRules({ preset }: Permissions): readonly Rule[] {
  if (preset.kind === 'read-only') {
    return [...BASE, { permission: 'write', pattern: '**', action: 'deny' }];
  }
  const ask: Rule = { permission: 'write', pattern: '**', action: 'ask' };
  if (preset.kind === 'ask') return [...BASE, ask];
  const trusted = preset.folders.map((folder): Rule => {
    const pattern = folder.endsWith('/**') ? folder : `${folder}/**`;
    return { permission: 'write', pattern, action: 'allow' };
  });
  return [...BASE, ask, ...trusted];
}

/** The scope of whom no other concerns. That of `read-only` holds for all. */
export function presetScope({ preset }: Permissions): Scope {
  return preset.kind === 'read-only' ? READ_ONLY : SCOPED;
}

const READ_ONLY = scope.parse({ level: 'read-only' });
const SCOPED = scope.parse({ level: 'scoped-write', allowed: ['**'] });
