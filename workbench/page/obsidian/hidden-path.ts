/** The app indexes no path with a segment that starts with a dot. */
export const isHidden = (path: string): boolean =>
  path.split('/').some((segment) => segment.startsWith('.'));
