import type { PermissionRequest } from './decide';
import { concerns, type Policy, type ReadyScope } from './policy';

/** Why a request is beyond its caller's scope; one sentence, with what would be within. */
export function scopeFault(policy: Policy, request: PermissionRequest): string | undefined {
  const ready = policy.scopes.findLast(({ scope }) => concerns(scope, request));
  if (ready === undefined) return 'Not allowed: no scope is set for this agent.';
  return pathFault(ready, request) ?? levelFault(ready, request) ?? sizeFault(ready, request);
}

function pathFault(
  { denied, scope, extensions }: ReadyScope,
  request: PermissionRequest,
): string | undefined {
  const { target, kind } = request;
  const held = denied.findIndex(({ folded }) => target.heldBy(folded));
  if (held !== -1) return `Not allowed: its scope denies ${scope.denied[held] ?? 'this path'}.`;
  if (kind === 'folder') return undefined;
  if (target.paths.every((path) => extensions.has(extensionOf(path)))) return undefined;
  const kinds = scope.extensions.join(', ');
  const fault = `Not allowed: its scope takes files of the kinds ${kinds} only.`;
  const { path } = target;
  return extensions.has('md') && extensionOf(path) === ''
    ? `${fault} Write it as "${path}.md".`
    : fault;
}

function levelFault(
  { scope, allowed }: ReadyScope,
  { operation, target }: PermissionRequest,
): string | undefined {
  if (operation === 'read') return undefined;
  if (scope.level === 'read-only') return 'Not allowed: it may only read.';
  if (scope.level === 'full-write') return undefined;
  if (operation === 'delete') return 'Not allowed: only the level full-write deletes.';
  if (allowed.some(({ exact }) => target.allowedBy(exact))) return undefined;
  return `Not allowed: it may write to ${scope.allowed.join(', ') || 'no folder'} only.`;
}

function sizeFault({ scope }: ReadyScope, { bytes }: PermissionRequest): string | undefined {
  if (bytes === undefined || bytes <= scope.maxBytes) return undefined;
  return `Not allowed: ${bytes} bytes are more than the ${scope.maxBytes} of its scope.`;
}

/** In lower case; empty for a name without one. */
function extensionOf(path: string): string {
  return /[^/]\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}
