set encoding utf8
set terminal pdfcairo noenhanced size 480/72.0,320/72.0 font 'sans,10'
set output 'x.out'
set title '2 jobs'
set ylabel 'IOPS (higher is better)'
set key below height 1 Left reverse
set border 3
set tics nomirror out
set yrange [0:*]
set pointintervalbox 0
set grid y lc rgb '#A0A0A0' lw 0.4 dt 1
set xtics nomirror ('sequential reads' 0, 'random writes' 1)
set xrange [-0.5:1.5]
set datafile missing 'NaN'
plot 'x.dat' index 0 using 1:2:(0.08889) with boxes lc rgb '#0072B2' lw 1.5 fs solid 0.9 border lc rgb '#0072B2' title 'v0', \
     '' index 0 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 lc rgb '#000000' lw 1.2 dt 1 notitle, \
     '' index 1 using 1:2:(0.08889) with boxes lc rgb '#E69F00' lw 1.5 fs pattern 4 border lc rgb '#E69F00' title 'v1', \
     '' index 1 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 lc rgb '#000000' lw 1.2 dt 1 notitle, \
     '' index 2 using 1:2:(0.08889) with boxes lc rgb '#009E73' lw 1.5 fs solid 0.35 border lc rgb '#009E73' title 'v2', \
     '' index 2 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 lc rgb '#000000' lw 1.2 dt 1 notitle, \
     '' index 3 using 1:2:(0.08889) with boxes lc rgb '#D55E00' lw 1.5 fs pattern 2 border lc rgb '#D55E00' title 'v3', \
     '' index 3 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 lc rgb '#000000' lw 1.2 dt 1 notitle, \
     '' index 4 using 1:2:(0.08889) with boxes lc rgb '#56B4E9' lw 1.5 fs pattern 0 border lc rgb '#56B4E9' title 'v4', \
     '' index 4 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 lc rgb '#000000' lw 1.2 dt 1 notitle, \
     '' index 5 using 1:2:(0.08889) with boxes lc rgb '#CC79A7' lw 1.5 fs pattern 5 border lc rgb '#CC79A7' title 'v5', \
     '' index 5 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 lc rgb '#000000' lw 1.2 dt 1 notitle, \
     '' index 6 using 1:2:(0.08889) with boxes lc rgb '#7F7F7F' lw 1.5 fs pattern 1 border lc rgb '#7F7F7F' title 'v6', \
     '' index 6 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 lc rgb '#000000' lw 1.2 dt 1 notitle, \
     '' index 7 using 1:2:(0.08889) with boxes lc rgb '#0072B2' lw 1.5 fs pattern 4 border lc rgb '#0072B2' title 'v7', \
     '' index 7 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 lc rgb '#000000' lw 1.2 dt 1 notitle, \
     '' index 8 using 1:2:(0.08889) with boxes lc rgb '#E69F00' lw 1.5 fs solid 0.35 border lc rgb '#E69F00' title 'v8', \
     '' index 8 using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 lc rgb '#000000' lw 1.2 dt 1 notitle, \
     keyentry with yerrorbars lc rgb '#000000' pt 0 title 'mean, bars: stddev over 2 runs'
# data:
# v0: x, y, low, high
-0.3555555556 11 9.585786438 12.41421356
0.6444444444 11 9.585786438 12.41421356


# v1: x, y, low, high
-0.2666666667 12 10.58578644 13.41421356
0.7333333333 12 10.58578644 13.41421356


# v2: x, y, low, high
-0.1777777778 13 11.58578644 14.41421356
0.8222222222 13 11.58578644 14.41421356


# v3: x, y, low, high
-0.08888888889 14 12.58578644 15.41421356
0.9111111111 14 12.58578644 15.41421356


# v4: x, y, low, high
0 15 13.58578644 16.41421356
1 15 13.58578644 16.41421356


# v5: x, y, low, high
0.08888888889 16 14.58578644 17.41421356
1.088888889 16 14.58578644 17.41421356


# v6: x, y, low, high
0.1777777778 17 15.58578644 18.41421356
1.177777778 17 15.58578644 18.41421356


# v7: x, y, low, high
0.2666666667 18 16.58578644 19.41421356
1.266666667 18 16.58578644 19.41421356


# v8: x, y, low, high
0.3555555556 19 17.58578644 20.41421356
1.355555556 19 17.58578644 20.41421356
