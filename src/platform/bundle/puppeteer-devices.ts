/**
 * Takes the place of Puppeteer's list of devices in the Worker (`[alias]` of wrangler.toml), 35 kB. The service sets the size of
 * the window and the user agent by itself.
 */
export const KnownDevices = {};
