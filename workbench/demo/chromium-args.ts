import { isRoot } from './install-chromium';

/**
 * What Chromium has beside a page, and a page in it needs none of: without these two it does not load
 * the popup of its address bar, a page of its own, for each window. The others are those that Playwright
 * turns off, whose switch this one replaces.
 */
const NOT_NEEDED = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCORSURLLoaderRestartOnRedirect'],
  ...['OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
];

/** With what Chromium is started. */
export function chromiumArgs(): string[] {
  // Chromium's own sandbox does not work for root; nothing else is ever opened in it.
  const sandbox = isRoot() ? ['--no-sandbox'] : [];
  return [...sandbox, `--disable-features=${NOT_NEEDED.join(',')}`];
}
