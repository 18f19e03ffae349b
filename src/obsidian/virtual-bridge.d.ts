/** The text of `dist/bridge.js`, put in by the build. */
declare module 'virtual:bridge' {
  const text: string;
  export default text;
}
