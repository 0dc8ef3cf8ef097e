set encoding utf8
set terminal svg noenhanced dynamic name 'iobench' size 720,480 font 'sans-serif,14' background '#ffffff'
set output 'x.out'
set title 'sequential reads, 1 job'
set xlabel 'minutes since the first run; blocks begin at the vertical lines'
set ylabel 'IOPS (higher is better)'
set key below height 1 Left reverse
set border 3
set tics nomirror out
set yrange [0:*]
set pointintervalbox 0
set grid y lc rgb '#A0A0A0' lw 0.4 dt 1
set xrange [0:*]
set arrow from first 0, graph 0 to first 0, graph 1 nohead lc rgb '#7F7F7F' lw 0.5 dt 3
set label '1' at first 0, graph 0.97 offset character 0.4,0 tc rgb '#7F7F7F'
set arrow from first 2, graph 0 to first 2, graph 1 nohead lc rgb '#7F7F7F' lw 0.5 dt 3
set label '2' at first 2, graph 0.97 offset character 0.4,0 tc rgb '#7F7F7F'
set arrow from first 4, graph 0 to first 4, graph 1 nohead lc rgb '#7F7F7F' lw 0.5 dt 3
set label '3' at first 4, graph 0.97 offset character 0.4,0 tc rgb '#7F7F7F'
set datafile missing 'NaN'
plot 'x.dat' index 0 using 1:2 with linespoints lc rgb '#0072B2' lw 2 dt 1 pt 7 ps 1 title 'none', \
     '' index 1 using 1:2 with linespoints lc rgb '#E69F00' lw 2 dt 2 pt 4 ps 1 title 'bfq'
# data:
# none: x, y, low, high
0 10 NaN NaN
3 20 NaN NaN
4 30 NaN NaN


# bfq: x, y, low, high
1 10 NaN NaN
2 20 NaN NaN
5 30 NaN NaN
