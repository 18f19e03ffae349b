/** The running app: the desktop app (also narrowed by `emulate`), or the app on a phone. */
export type Device = 'desktop' | 'phone';

export const Platform = {
  isDesktop: true,
  isMobile: false,
  isDesktopApp: true,
  isMobileApp: false,
  isIosApp: false,
  isAndroidApp: false,
  isPhone: false,
  isTablet: false,
  isMacOS: false,
  isWin: false,
  isLinux: true,
  isSafari: false,
  resourcePathPrefix: '/vault/',
};

/** Sets the device; called once, before the plugin is loaded. */
export function setDevice(device: Device): void {
  const phone = device === 'phone';
  Object.assign(Platform, { isDesktopApp: !phone, isMobileApp: phone, isAndroidApp: phone });
  Object.assign(Platform, { isLinux: !phone });
  setPhoneInterface(phone);
}

/** Switches only the interface, like the app's `emulateMobile`: a narrow desktop stays a desktop. */
export function setPhoneInterface(phone: boolean): void {
  Object.assign(Platform, { isDesktop: !phone, isMobile: phone, isPhone: phone });
  document.body.classList.toggle('is-mobile', phone);
  document.body.classList.toggle('is-phone', phone);
  document.body.classList.toggle('mod-linux', Platform.isLinux);
  document.body.classList.toggle('is-frameless', !phone);
}
