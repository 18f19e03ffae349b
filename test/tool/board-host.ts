import { fixedAccessRules } from '../../src/core/permission/access-rules';
import { DEFAULT_PERMISSIONS } from '../../src/core/permission/permissions';
import { compilePolicy } from '../../src/core/permission/policy';
import { ProtectedPlaces } from '../../src/core/permission/protected-places';
import { BOARD_ROOT } from '../../src/core/board/todo-manager';
import type { ToolHostDeps } from '../../src/core/tool/call-run';
import type { Tool } from '../../src/core/tool/tool';
import { ToolHost } from '../../src/core/tool/tool-host';
import { PathResolver } from '../../src/core/permission/path-resolver';
import { sha256 } from '../permission/audit-folder';
import { MemoryStore } from '../store/memory-store';
import { clock, seededIds } from '../board/manager-fixture';

const places = new ProtectedPlaces({ configFolder: '.obsidian', boardRoot: BOARD_ROOT });
const policy = compilePolicy(DEFAULT_PERMISSIONS, places);

/** A host for board tools under the default rules; its audit is not read. */
export function boardHost(
  tools: ReadonlyMap<string, Tool>,
  more: Partial<ToolHostDeps> = {},
): ToolHost {
  return new ToolHost({
    ...{ tools, clock, ids: seededIds() },
    permitting: fixedAccessRules(() => policy),
    audit: { append: () => Promise.resolve() },
    log: { note: () => undefined },
    boardRoot: () => BOARD_ROOT,
    notes: { store: new MemoryStore(), resolver: new PathResolver(), digest: sha256 },
    ...more,
  });
}
