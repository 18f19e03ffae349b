/**
 * The entry of `main.js`, one file for two programs: Obsidian loads it as its plugin, OpenCode as
 * the bridge. Only the half that runs is evaluated.
 */
export = (isInApp() ? require('./main') : require('./bridge/plugin')) as unknown;

/** Only the app has a window and also provides the module `obsidian`. */
function isInApp(): boolean {
  if (typeof window === 'undefined') return false;
  try {
    require('obsidian');
    return true;
  } catch {
    return false;
  }
}
