const seen: string[] = [];

export const pageErrors = (): string[] => [...seen];

/** Collects the errors that the console would show: uncaught errors, rejections, refused loads. */
export function collectPageErrors(): void {
  window.addEventListener('error', (event: ErrorEvent) => {
    seen.push(describe(event.error ?? event.message));
  });
  window.addEventListener('unhandledrejection', (event) => {
    seen.push(describe(event.reason));
  });
  document.addEventListener('securitypolicyviolation', (event) => {
    seen.push(`The page policy refused ${event.violatedDirective}: ${event.blockedURI}`);
  });
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
