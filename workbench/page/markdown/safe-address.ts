const ALLOWED = /^(?:https?:|mailto:|obsidian:|data:image\/(?:png|jpeg|gif|webp);)/i;

/** The address, unless its scheme could run something. */
export const safeAddress = (address: string): string | undefined =>
  ALLOWED.test(address.trim()) ? address.trim() : undefined;
