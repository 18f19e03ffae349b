import { makePolicy, type Policy } from '../core/permission/policy';
import { ProtectedPlaces } from '../core/permission/protected-places';
import type { SharedSettings } from '../core/shared-settings';

/** Where Obsidian keeps its settings unless told otherwise; headless, nobody can say. */
const CONFIG_FOLDER = '.obsidian';

/** The rules as the settings say, for what runs without Obsidian: that is boards, and no notes. */
export function policyOf({ permissions, root }: SharedSettings): Policy {
  const places = new ProtectedPlaces({ configFolder: CONFIG_FOLDER, boardRoot: root });
  return makePolicy(permissions, places);
}
