import type { AccessRequest } from '../../src/core/permission/decide';
import { readPermissions } from '../../src/core/permission/permissions';
import { compilePolicy, type AccessPolicy } from '../../src/core/permission/policy';
import { ProtectedPlaces } from '../../src/core/permission/protected-places';
import { VaultTarget } from '../../src/core/permission/vault-target';

const PLACES = new ProtectedPlaces({ configFolder: '.obsidian', boardRoot: 'Boards' });

/** The policy for settings in the form of the file. */
export function policyOf(settings: unknown): AccessPolicy {
  const read = readPermissions(settings);
  if ('ok' in read) throw new Error(read.message);
  return compilePolicy(read, PLACES);
}

/** A request by `build` in session s to update a note; `other` overrides fields. */
export function accessRequest(
  path: string,
  other: Partial<AccessRequest> & { real?: string } = {},
): AccessRequest {
  const { real = path, ...rest } = other;
  return {
    sessionId: 's',
    agent: 'build',
    operation: 'update',
    target: new VaultTarget(path, real),
    kind: 'file',
    now: 1000,
    ...rest,
  };
}
