/**
 * The entry of `main.js`, one file for two programs: Obsidian loads it as its plugin, OpenCode as the
 * bridge. It evaluates the half that runs, and nothing of the other.
 */
export = (isInApp() ? require('./main') : require('./bridge/plugin')) as unknown;

/** The app has a window, and gives `obsidian` to plugins; nothing else has both. */
function isInApp(): boolean {
  if (typeof window === 'undefined') return false;
  try {
    require('obsidian');
    return true;
  } catch {
    return false;
  }
}
