/** What the address of a recruiting link says. */
export function parseArrival(address: { pathname: string; search: string }) {
  const [, , campaign = '', link = ''] = address.pathname.split('/').map(decodeURIComponent)
  return { campaign, link, parameters: Object.fromEntries(new URLSearchParams(address.search)) }
}
