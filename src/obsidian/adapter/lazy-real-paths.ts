import type { RealPaths } from '../../core/permission/path-resolver';

/** Follows links by code that is loaded at the first path. Where that fails no path is known to be inside. */
export function lazyRealPaths(load: () => Promise<RealPaths>): RealPaths {
  let loading: Promise<RealPaths> | undefined;
  return async (path) => {
    loading ??= load();
    const realPaths = await loading.catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return realPaths(path);
  };
}
