#!/usr/bin/env python3
"""Draws a results file of cislunar: where the trajectories ended around the Moon, and when, by reason.

usage: plot.py RESULTS.h5 [PICTURE.png]    (the picture goes beside the results, unless named)
"""
import os
import sys

try:
    import h5py
    import matplotlib
    import numpy as np

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as error:
    sys.exit(f"plot.py: {error}: install h5py and matplotlib, such as apt install python3-h5py python3-matplotlib")

COLOURS = {"impact": "#c8452d", "escape": "#2f6db5", "horizon": "#2c8c5a"}
OTHER = "#777777"
MOST_POINTS = 20_000  # of a reason: more make no better picture


def read(path):
    with h5py.File(path, "r") as file:
        reason = file["end_reason"]
        names = {value: name for name, value in h5py.check_enum_dtype(reason.dtype).items()}
        return {
            "reasons": np.array([names[value] for value in range(len(names))])[reason[:].astype(int)],
            "position": file["end_position"][:],
            "time": file["stop_time"][:],
            "attributes": dict(file.attrs),
        }


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def errors(attributes):
    """The dispersion in words, as the program's summary has it."""
    velocity = f"{attributes['velocity_error_m_s']:g} m/s"
    position = attributes["position_error_km"]
    return f"{velocity} and {position:g} km" if position > 0 else velocity


def draw_ends(axes, data, reasons):
    moon = data["attributes"]["moon_radius_km"]
    escape = data["attributes"]["escape_radius_km"]
    angle = np.linspace(0, 2 * np.pi, 400)
    axes.plot(escape * np.cos(angle) / 1e3, escape * np.sin(angle) / 1e3, color="#bbbbbb", lw=1, zorder=1)
    axes.annotate(f"{escape:,.0f} km", xy=(0, -escape / 1e3), xytext=(0, 4), textcoords="offset points", ha="center",
                  color="#999999", fontsize=8)
    choose = np.random.default_rng(1)
    for reason in reasons:
        points = data["position"][data["reasons"] == reason] / 1e3
        if len(points) > MOST_POINTS:
            points = points[choose.choice(len(points), MOST_POINTS, replace=False)]
        axes.scatter(points[:, 0], points[:, 2], s=2, lw=0, alpha=0.35, color=COLOURS.get(reason, OTHER), zorder=2)
    axes.annotate("to the Earth", xy=(-0.98 * escape / 1e3, -1.13 * escape / 1e3),
                  xytext=(-0.5 * escape / 1e3, -1.13 * escape / 1e3),
                  va="center", color="#555555", arrowprops={"arrowstyle": "->", "color": "#555555"})
    axes.set_aspect("equal")
    axes.set_xlim(-1.2 * escape / 1e3, 1.2 * escape / 1e3)
    axes.set_ylim(-1.2 * escape / 1e3, 1.2 * escape / 1e3)
    axes.set_xlabel("x, away from the Earth [1000 km]")
    axes.set_ylabel("z, north [1000 km]")
    axes.set_title("Where they ended, around the Moon")

    axes.add_patch(plt.Circle((0, 0), moon / 1e3, color="#555555", zorder=3))
    axes.annotate("Moon", xy=(0, 0), xytext=(0, 5), textcoords="offset points", ha="center", color="#555555")

    # The Moon is a dot at that scale: in a corner, what hit it, enlarged.
    impacts = data["position"][data["reasons"] == "impact"]
    if len(impacts) == 0:
        return
    facing = impacts[impacts[:, 1] < 0]  # the reader looks along y
    if len(facing) > MOST_POINTS // 4:
        facing = facing[choose.choice(len(facing), MOST_POINTS // 4, replace=False)]
    inset = axes.inset_axes([0.0, 0.77, 0.23, 0.23])
    inset.add_patch(plt.Circle((0, 0), moon, color="#dddddd", zorder=1))
    inset.scatter(facing[:, 0], facing[:, 2], s=1.5, lw=0, alpha=0.5, color=COLOURS["impact"], zorder=2)
    inset.set_aspect("equal")
    inset.set_xlim(-1.05 * moon, 1.05 * moon)
    inset.set_ylim(-1.05 * moon, 1.05 * moon)
    inset.axis("off")
    inset.text(0, -1.12 * moon, "impacts on the side\nthat faces the reader", ha="center", va="top", fontsize=8,
               color="#555555")


def draw_times(axes, data, reasons):
    longest = max(data["time"].max(), 1e-9)
    bins = np.linspace(0, longest, 121)
    total = len(data["time"])
    for reason in reasons:
        times = data["time"][data["reasons"] == reason]
        label = f"{reason}: {len(times):,} ({100 * len(times) / total:.1f} %), median {np.median(times):.1f} days"
        axes.hist(times, bins, color=COLOURS.get(reason, OTHER), alpha=0.75, label=label)
    axes.set_yscale("log")
    axes.set_xlim(0, 1.01 * longest)
    axes.set_ylim(bottom=0.7)
    axes.set_xlabel("time to the stop [days]")
    axes.set_ylabel(f"samples in {bins[1]:.2g} days")
    axes.set_title("When they stopped, and why")
    axes.legend(frameon=False)


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__.strip())
    path = sys.argv[1]
    picture = sys.argv[2] if len(sys.argv) == 3 else os.path.splitext(path)[0] + ".png"
    try:
        data = read(path)
    except (OSError, KeyError) as error:
        sys.exit(f"plot.py: {path} is no results file of cislunar: {error}")
    present = set(data["reasons"])
    reasons = [name for name in ("escape", "impact", "horizon") if name in present]
    reasons += sorted(present - set(reasons))

    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 6.2), layout="constrained")
    draw_ends(left, data, reasons)
    draw_times(right, data, reasons)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(f"{text(data['attributes']['title'])}: {len(data['time']):,} flights with errors of "
                    f"{errors(data['attributes'])} on each axis")
    beside = picture + ".partial"
    figure.savefig(beside, dpi=130, format="png")
    os.replace(beside, picture)
    print(f"picture is in {picture}")


if __name__ == "__main__":
    main()
