/** Says what becomes of an answer that is given without a connection. */
export function OfflineNote({ connected }: { readonly connected: boolean }) {
  if (connected) return null;
  return (
    <p class="atb-ask-note" role="status">
      Not connected. Your answer is sent when OpenCode is back.
    </p>
  );
}
